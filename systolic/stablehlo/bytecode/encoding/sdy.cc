// Shardy's attributes (its dialect/sdy/ir/bytecode.td has the codes), as the text that MLIR prints.
#include "systolic/base/text.h"
#include "systolic/stablehlo/bytecode/encoding/reader.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;

// #sdy.NAME<TEXT>: what stands inside another attribute is TEXT alone.
Attribute named(Reader& reader, std::string_view name, const std::string& text) {
  Attribute result;
  result.kind = Kind::opaque;
  result.name = name;
  result.text = reader.implied(str("#", name, "<", text, ">"));
  reader.weigh(text.size() / 32);
  return result;
}

std::string_view inside(const Attribute& attribute) {
  const std::string_view text = attribute.text;
  const size_t head = attribute.name.size() + 2;
  return text.substr(head, text.size() - head - 1);
}

std::string_view part(Reader& reader, Bytes& bytes, std::string_view name) {
  const Attribute attribute = reader.attribute(bytes);
  if (attribute.kind != Kind::opaque || attribute.name != name) {
    bytes.fail("a part of a sharding", {}, std::string(name));
  }
  return inside(attribute);
}

std::string parts(Reader& reader, Bytes& bytes, std::string_view name, std::string_view open = {},
                  std::string_view close = {}) {
  std::vector<std::string> texts(bytes.count("a sharding's parts"));
  for (std::string& text : texts) text = str(open, part(reader, bytes, name), close);
  return join(texts);
}

std::string numbers(Bytes& bytes) {
  std::vector<int64_t> values(bytes.count("numbers"));
  for (int64_t& value : values) value = bytes.signed_varint();
  return join(values);
}

std::string quoted(Reader& reader, Bytes& bytes) {
  return str("\"", reader.escaped(reader.string(bytes)), "\"");
}

Attribute manual_axes(Reader& reader, Bytes& bytes) {
  std::vector<std::string> names(bytes.count("axes"));
  for (std::string& name : names) {
    const Attribute axis = reader.attribute(bytes);
    if (axis.kind != Kind::string) bytes.fail("the name of an axis", {}, "a string");
    name = str("\"", axis.text, "\"");
  }
  Attribute result = named(reader, "sdy", str("manual_axes{", join(names), "}"));
  return result;
}

Attribute mesh_axis(Reader& reader, Bytes& bytes) {
  const std::string name = quoted(reader, bytes);
  return named(reader, "sdy.mesh_axis", str(name, "=", bytes.signed_varint()));
}

Attribute mesh(Reader& reader, Bytes& bytes) {
  const std::string axes = parts(reader, bytes, "sdy.mesh_axis");
  const std::string ids = numbers(bytes);
  return named(reader, "sdy.mesh",
               str("[", axes, "]", ids.empty() ? "" : str(", device_ids=[", ids, "]")));
}

// "x":(1)2 is part of axis "x".
Attribute sub_axis(Reader& reader, Bytes& bytes) {
  const int64_t before = bytes.signed_varint();
  return named(reader, "sdy.sub_axis_info", str("(", before, ")", bytes.signed_varint()));
}

Attribute axis(Reader& reader, Bytes& bytes) {
  std::string text = quoted(reader, bytes);
  if (const std::optional<Attribute> sub = reader.optional_attribute(bytes)) {
    if (sub->name != "sdy.sub_axis_info") bytes.fail("part of an axis");
    text += str(":", inside(*sub));
  }
  return named(reader, "sdy.axis_ref", text);
}

// {"x", "y"}, with "?" where more may be added, and a priority.
Attribute dimension(Reader& reader, Bytes& bytes) {
  std::string text = parts(reader, bytes, "sdy.axis_ref");
  const bool closed = bytes.byte() != 0;
  if (!closed) text += text.empty() ? "?" : ", ?";
  const auto [priority, there] = bytes.flagged();
  return named(reader, "sdy.dimension_sharding",
               there ? str("{", text, "}p", priority) : str("{", text, "}"));
}

enum class Version { v1, v2, v3 };

Attribute sharding(Reader& reader, Bytes& bytes, Version version) {
  const Attribute mesh = reader.attribute(bytes);
  const bool by_name = mesh.kind == Kind::symbol;
  if (!by_name && mesh.name != "sdy.mesh")
    bytes.fail("a sharding's mesh", {}, "a mesh or its name");
  std::string text = by_name ? str("@", mesh.text) : str("mesh<", inside(mesh), ">");
  text += str(", [", parts(reader, bytes, "sdy.dimension_sharding"), "]");
  const std::string replicated = parts(reader, bytes, "sdy.axis_ref");
  if (!replicated.empty()) text += str(", replicated={", replicated, "}");
  if (version != Version::v1) {
    const std::string unreduced = parts(reader, bytes, "sdy.axis_ref");
    const int64_t reduction = version == Version::v3 ? bytes.signed_varint() : 0;
    const char* name = reduction == 0 ? "" : reduction == 1 ? "max" : "min";
    if (!unreduced.empty()) text += str(", unreduced=", name, "{", unreduced, "}");
  }
  return named(reader, "sdy.sharding", text);
}

Attribute sharding_per_value(Reader& reader, Bytes& bytes) {
  return named(reader, "sdy.sharding_per_value",
               str("[", parts(reader, bytes, "sdy.sharding", "<", ">"), "]"));
}

Attribute axis_list(Reader& reader, Bytes& bytes) {
  return named(reader, "sdy.axis_ref_list", str("{", parts(reader, bytes, "sdy.axis_ref"), "}"));
}

Attribute list_of_axis_lists(Reader& reader, Bytes& bytes) {
  return named(reader, "sdy.list_of_axis_ref_lists",
               str("[", parts(reader, bytes, "sdy.axis_ref_list"), "]"));
}

// The name of a factor in a sharding rule: i to z, then z_1, z_2, ...
std::string factor_name(int64_t factor) {
  constexpr int64_t letters = 'z' - 'i' + 1;
  if (factor < letters) return std::string(1, static_cast<char>('i' + factor));
  return str("z_", factor - letters + 1);
}

// An axis of an array as factors, several next to each other: "ij".
Attribute dimension_mapping(Reader& reader, Bytes& bytes) {
  std::string text;
  for (size_t left = bytes.count("factors"); left > 0; --left) {
    text += factor_name(bytes.signed_varint());
  }
  return named(reader, "sdy.dim_mapping", text);
}

Attribute tensor_mapping(Reader& reader, Bytes& bytes) {
  return named(reader, "sdy.tensor_mapping", parts(reader, bytes, "sdy.dim_mapping"));
}

// ([i, j])->([i, k]) {i=4, j=3, k=3}, custom. How a partitioner may use the factors comes after
// that, and is left out: nothing here partitions.
Attribute sharding_rule(Reader& reader, Bytes& bytes) {
  std::vector<std::string> sizes(bytes.count("sizes of factors"));
  for (size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = str(factor_name(static_cast<int64_t>(i)), "=", bytes.signed_varint());
  }
  const std::string operands = parts(reader, bytes, "sdy.tensor_mapping", "[", "]");
  const std::string results = parts(reader, bytes, "sdy.tensor_mapping", "[", "]");
  return named(reader, "sdy.op_sharding_rule",
               str("(", operands, ")->(", results, ") {", join(sizes), "}, custom"));
}

}  // namespace

Attribute read_sdy_attribute(Reader& reader, Bytes& bytes) {
  const uint64_t code = bytes.varint();
  switch (code) {
    case 0:
      return manual_axes(reader, bytes);
    case 1:
      return mesh_axis(reader, bytes);
    case 2:
      return mesh(reader, bytes);
    case 3:
      return sub_axis(reader, bytes);
    case 4:
      return axis(reader, bytes);
    case 5:
      return dimension(reader, bytes);
    case 6:
      return sharding(reader, bytes, Version::v1);
    case 7:
    case 16:
      return sharding_per_value(reader, bytes);
    case 8:
      return dimension_mapping(reader, bytes);
    case 9:
      return tensor_mapping(reader, bytes);
    case 10:
      return sharding_rule(reader, bytes);
    case 11:
      return axis_list(reader, bytes);
    case 12:
      return list_of_axis_lists(reader, bytes);
    case 15:
      return sharding(reader, bytes, Version::v2);
    case 17:
      return sharding(reader, bytes, Version::v3);
    default:
      bytes.fail("the code of a Shardy attribute", str(code),
                 "0 to 12 or 15 to 17: those of meshes, shardings and their rules");
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
