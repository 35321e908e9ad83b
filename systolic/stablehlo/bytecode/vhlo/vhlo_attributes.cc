// VHLO's attributes (StableHLO's dialect/VhloBytecode.cpp has the codes), as StableHLO's.
#include <array>
#include <bit>
#include <span>

#include "systolic/base/text.h"
#include "systolic/stablehlo/bytecode/encoding/elements.h"
#include "systolic/stablehlo/bytecode/encoding/types.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_codes.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;

Attribute of_kind(Kind kind) {
  Attribute result;
  result.kind = kind;
  return result;
}

// Enumerations: what StableHLO calls them, and their words by number.
struct Enumeration {
  uint64_t code;
  std::string_view name;
  std::array<std::string_view, 6> words;
};
constexpr std::array enumerations{
    Enumeration{3, "comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}},
    Enumeration{4, "comparison_type", {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
    Enumeration{7, "fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}},
    Enumeration{11, "precision", {"DEFAULT", "HIGH", "HIGHEST"}},
    Enumeration{12, "rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}},
    Enumeration{13, "rng_distribution", {"", "UNIFORM", "NORMAL"}},
    Enumeration{16, "transpose", {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
    Enumeration{19, "result_accuracy_mode", {"DEFAULT", "HIGHEST", "TOLERANCE"}}};

Attribute enumeration(Reader& reader, Bytes& bytes, const Enumeration& row) {
  const uint64_t value = bytes.varint();
  if (value >= row.words.size() || row.words[static_cast<size_t>(value)].empty()) {
    bytes.fail(str("a word of ", row.name), str("number ", value), "one that it has");
  }
  Attribute result = of_kind(Kind::enumeration);
  result.name = row.name;
  result.text = row.words[static_cast<size_t>(value)];
  if (row.name == "result_accuracy_mode") {
    result.kind = Kind::opaque;
    result.name = "stablehlo.result_accuracy_mode";
    result.text = reader.implied(str("#stablehlo.result_accuracy_mode<", result.text, ">"));
  }
  return result;
}

Attribute api_version(Reader& reader, Bytes& bytes) {
  return integer_attribute(reader, ElementType::i32, bytes.varint());
}

Attribute array(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::array);
  const size_t count = bytes.count("attributes");
  for (size_t i = 0; i < count; ++i) result.items.push_back(reader.attribute(bytes));
  return result;
}

Attribute boolean(Bytes& bytes) {
  Attribute result = of_kind(Kind::boolean);
  result.integer = bytes.varint() != 0 ? 1 : 0;
  return result;
}

std::string_view string_of(Reader& reader, Bytes& bytes) {
  const Attribute name = reader.attribute(bytes);
  if (name.kind != Kind::string) bytes.fail("a name", {}, "a string");
  return name.text;
}

Attribute dictionary(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::dictionary);
  const size_t count = bytes.count("attributes");
  for (size_t i = 0; i < count; ++i) {
    const std::string_view name = string_of(reader, bytes);
    result.fields.push_back({name, reader.attribute(bytes)});
  }
  return result;
}

Attribute number(Reader& reader, Bytes& bytes, bool is_float) {
  const ElementType element = reader.element(bytes).element;
  const int width = bit_width(element);
  if (width == 0 || is_whole(element) == is_float) {
    bytes.fail("a number's type", std::string(info(element).name));
  }
  const uint64_t bits = bytes.bits(width);
  return is_float ? float_attribute(reader, bytes, element, bits)
                  : integer_attribute(reader, element, bits);
}

Attribute list(Reader& reader, std::span<const int64_t> values) {
  Attribute result = of_kind(Kind::array);
  for (int64_t value : values) {
    Attribute& item = result.items.emplace_back(of_kind(Kind::integer));
    item.integer = value;
    item.text = reader.implied(str(value));
  }
  reader.weigh(values.size());
  return result;
}

Attribute list(Reader& reader, Bytes& bytes) {
  std::vector<int64_t> values(bytes.count("numbers"));
  for (int64_t& value : values) value = bytes.signed_varint();
  return list(reader, values);
}

Attribute plain_integer(Reader& reader, int64_t value) {
  Attribute result = of_kind(Kind::integer);
  result.integer = value;
  result.text = reader.implied(str(value));
  return result;
}

Attribute output_operand_alias(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::structure);
  result.name = "stablehlo.output_operand_alias";
  result.fields.push_back({"output_tuple_indices", list(reader, bytes)});
  result.fields.push_back({"operand_index", plain_integer(reader, bytes.signed_varint())});
  result.fields.push_back({"operand_tuple_indices", list(reader, bytes)});
  return result;
}

// A constant. Its elements' bytes stand as they are, except i1, which has a bit each.
Attribute tensor(Reader& reader, Bytes& bytes) {
  const TypeId type = reader.type(bytes);
  const uint64_t size = bytes.varint();
  return dense_elements(reader, bytes, type, bytes.take(size, "a constant").text());
}

// What a dynamic tensor's sizes are at most: #stablehlo.bounds<3, ?>
Attribute bounds(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::opaque);
  std::vector<std::string> sizes;
  for (int64_t size : read_dims(bytes)) sizes.push_back(size == dynamic_size ? "?" : str(size));
  result.name = "stablehlo.bounds";
  result.text = reader.implied(str("#stablehlo.bounds<", join(sizes), ">"));
  return result;
}

// Tolerances of zero are not written.
Attribute result_accuracy(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::structure);
  result.name = "stablehlo.result_accuracy";
  for (const char* name : {"atol", "rtol"}) {
    const uint64_t bits = bytes.bits(64);
    Attribute value = float_attribute(reader, bytes, ElementType::f64, bits);
    value.type = no_type;
    if (std::bit_cast<double>(bits) != 0) result.fields.push_back({name, std::move(value)});
  }
  const int64_t ulps = bytes.signed_varint();
  if (ulps != 0) result.fields.push_back({"ulps", plain_integer(reader, ulps)});
  result.fields.push_back({"mode", reader.attribute(bytes)});
  return result;
}

Attribute structure_of_name(Reader& reader, Bytes& bytes, std::string_view structure) {
  Attribute result = of_kind(Kind::structure);
  result.name = structure;
  Attribute name = of_kind(Kind::string);
  name.text = string_of(reader, bytes);
  result.fields.push_back({"name", std::move(name)});
  return result;
}

Attribute sub_axis(Reader& reader, Bytes& bytes) {
  const int64_t before = bytes.signed_varint(), size = bytes.signed_varint();
  Attribute result = of_kind(Kind::opaque);
  result.text = reader.implied(str("(", before, ")", size));  // as the text has it
  return result;
}

Attribute axis(Reader& reader, Bytes& bytes) {
  Attribute result = structure_of_name(reader, bytes, "stablehlo.axis_ref");
  if (bytes.varint() != 0) result.fields.push_back({"sub_axis_info", reader.attribute(bytes)});
  return result;
}

Attribute mesh_axis(Reader& reader, Bytes& bytes) {
  Attribute result = structure_of_name(reader, bytes, "stablehlo.mesh_axis");
  result.fields.push_back({"size", plain_integer(reader, bytes.signed_varint())});
  return result;
}

Attribute mesh(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::structure);
  result.name = "stablehlo.mesh";
  result.fields.push_back({"axes", reader.attribute(bytes)});
  if (std::optional<Attribute> ids = reader.optional_attribute(bytes)) {
    result.fields.push_back({"device_ids", std::move(*ids)});
  }
  return result;
}

Attribute group_of_mesh_axes(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::structure);
  result.name = "stablehlo.replica_group_mesh_axes";
  Attribute mesh_or_name = reader.attribute(bytes);
  if (mesh_or_name.kind == Kind::string) mesh_or_name.kind = Kind::symbol;
  result.fields.push_back({"mesh", std::move(mesh_or_name)});
  result.fields.push_back({"axes", reader.attribute(bytes)});
  return result;
}

Attribute text(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::string);
  result.text = reader.escaped(reader.string(bytes));
  return result;
}

Attribute type(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::type);
  result.type = reader.type(bytes);
  return result;
}

}  // namespace

std::optional<std::pair<uint64_t, uint64_t>> vhlo_word(std::string_view enumeration,
                                                       std::string_view word) {
  for (const Enumeration& row : enumerations) {
    for (size_t i = 0; i < row.words.size(); ++i) {
      if (row.name == enumeration && !word.empty() && row.words[i] == word)
        return std::pair(row.code, static_cast<uint64_t>(i));
    }
  }
  return std::nullopt;
}

Attribute read_vhlo_attribute(Reader& reader, Bytes& bytes) {
  const uint64_t code = bytes.varint();
  for (const Enumeration& row : enumerations) {
    if (row.code == code) return enumeration(reader, bytes, row);
  }
  switch (code) {
    case 1:
      return array(reader, bytes);
    case 2:
      return boolean(bytes);
    case 5:
      return api_version(reader, bytes);
    case 6:
      return dictionary(reader, bytes);
    case 8:
    case 9:
      return number(reader, bytes, code == 8);
    case 10:
      return output_operand_alias(reader, bytes);
    case 14:
      return text(reader, bytes);
    case 15:
      return tensor(reader, bytes);
    case 17:
      return type(reader, bytes);
    case 18:
      return bounds(reader, bytes);
    case 20:
      return result_accuracy(reader, bytes);
    case 21:
      return sub_axis(reader, bytes);
    case 22:
      return axis(reader, bytes);
    case 23:
      return group_of_mesh_axes(reader, bytes);
    case 24:
      return mesh_axis(reader, bytes);
    case 25:
      return mesh(reader, bytes);
    default:
      bytes.fail("the code of a VHLO attribute", str(code), "1 to 25");
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
