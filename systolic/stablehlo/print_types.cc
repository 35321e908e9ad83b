// Types and attributes as text.
#include "systolic/base/text.h"
#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/scanner.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

std::string number_text(double value) {
  std::string text = str(value);
  if (text.find_first_of(".n") != std::string::npos) return text;
  const size_t exponent = text.find('e');
  return text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
}

std::string quantized_text(const Quantization& q) {
  // MLIR writes u8 here, where ui8 stands elsewhere.
  const std::string_view storage = info(q.storage).name;
  std::string text = str("!quant.uniform<", storage[0] == 'u' ? "u" : "i",
                         storage.substr(storage[0] == 'u' ? 2 : 1));
  if (q.names_range) text += str("<", q.storage_min, ":", q.storage_max, ">");
  text += str(":", info(q.expressed).name);
  if (q.axis) text += str(":", *q.axis);
  std::vector<std::string> scales;
  for (size_t i = 0; i < q.scales.size(); ++i) {
    std::string scale = number_text(q.scales[i]);
    if (q.zero_points[i] != 0) scale += str(":", q.zero_points[i]);
    scales.push_back(std::move(scale));
  }
  return text + (q.axis ? str(", {", join(scales), "}>") : str(", ", join(scales), ">"));
}

std::string element_text(const Type& type) {
  return type.quantization ? quantized_text(*type.quantization)
                           : std::string(info(type.element).name);
}

std::string tensor_text(const Type& type) {
  std::string text = type.unranked ? "tensor<*x" : "tensor<";
  for (int64_t size : type.dims) text += size == dynamic_size ? "?x" : str(size, "x");
  text += element_text(type);
  if (!type.encoding.empty()) text += str(", ", type.encoding);
  return text + ">";
}

using TypeRange = std::pair<size_t, size_t>;

std::string types_text(const Program& program, const Type& type, TypeRange range) {
  std::vector<std::string> parts;
  for (size_t i = range.first; i < range.second; ++i) {
    parts.push_back(type_text(program, type.parts[i]));
  }
  return join(parts);
}

// As it is where it is a word, else in quotes.
std::string name_text(std::string_view name) {
  for (char c : name) {
    if (!is_word(c)) return str("\"", name, "\"");
  }
  return std::string(name);
}

std::string fields_text(const Program& program, const std::vector<NamedAttribute>& fields) {
  std::vector<std::string> parts;
  for (const NamedAttribute& field : fields) {
    const bool unit = field.value.kind == Attribute::Kind::unit;
    parts.push_back(unit ? name_text(field.name)
                         : str(name_text(field.name), " = ", attribute_text(program, field.value)));
  }
  return join(parts);
}

std::string with_type(const Program& program, const Attribute& attribute) {
  if (attribute.type == no_type) return std::string(attribute.text);
  return str(attribute.text, " : ", type_text(program, attribute.type));
}

}  // namespace

std::string type_text(const Program& program, TypeId id) {
  const Type& type = program.type(id);
  switch (type.kind) {
    case Type::Kind::scalar:
      return element_text(type);
    case Type::Kind::tensor:
      return tensor_text(type);
    case Type::Kind::token:
      return "!stablehlo.token";
    case Type::Kind::tuple:
      return str("tuple<", types_text(program, type, {0, type.parts.size()}), ">");
    case Type::Kind::future:
      return str("!stablehlo.future<", types_text(program, type, {0, type.parts.size()}), ">");
    case Type::Kind::function:
      return str("(", types_text(program, type, {0, type.inputs}), ") -> (",
                 types_text(program, type, {type.inputs, type.parts.size()}), ")");
    case Type::Kind::opaque:
      return std::string(type.encoding);
  }
  return {};
}

std::string attribute_text(const Program& program, const Attribute& attribute) {
  std::vector<std::string> items;
  for (const Attribute& item : attribute.items) items.push_back(attribute_text(program, item));
  switch (attribute.kind) {
    case Attribute::Kind::unit:
      return "unit";
    case Attribute::Kind::boolean:
      return attribute.integer != 0 ? "true" : "false";
    case Attribute::Kind::integer:
    case Attribute::Kind::floating:
      return with_type(program, attribute);
    case Attribute::Kind::string:
      return str("\"", attribute.text, "\"");
    case Attribute::Kind::symbol:
      return symbol_text(attribute.text);
    case Attribute::Kind::type:
      return type_text(program, attribute.type);
    case Attribute::Kind::array:
      return str("[", join(items), "]");
    case Attribute::Kind::dense_array:
      return str("array<", type_text(program, attribute.type), attribute.text.empty() ? "" : ": ",
                 attribute.text, ">");
    case Attribute::Kind::elements:
      return str(attribute.name, "<", attribute.text, ">",
                 attribute.type == no_type ? "" : str(" : ", type_text(program, attribute.type)));
    case Attribute::Kind::dictionary:
      return str("{", fields_text(program, attribute.fields), "}");
    case Attribute::Kind::enumeration:
      return str("#stablehlo<", attribute.name, " ", attribute.text, ">");
    case Attribute::Kind::structure:
      return str("#", attribute.name, "<", fields_text(program, attribute.fields), ">");
    case Attribute::Kind::opaque:
      return std::string(attribute.text);
  }
  return {};
}

std::string symbol_text(std::string_view name) {
  bool plain = !name.empty() && (name[0] < '0' || name[0] > '9');
  for (char c : name) {
    plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '$' || c == '-');
  }
  return plain || name.find("::@") != std::string_view::npos ? str("@", name)
                                                             : str("@\"", name, "\"");
}

std::string attributes_text(const Program& program, const std::vector<NamedAttribute>& attributes) {
  return fields_text(program, attributes);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
