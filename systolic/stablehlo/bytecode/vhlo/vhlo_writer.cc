#include "systolic/stablehlo/bytecode/vhlo/vhlo_writer.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/stablehlo/bytecode/encoding/elements.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_codes.h"
#include "systolic/stablehlo/dense.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;

// Codes of VHLO's attributes and types.
constexpr uint64_t array_code = 1, boolean_code = 2, api_version_code = 5, dictionary_code = 6,
                   float_code = 8, integer_code = 9, string_code = 14, tensor_code = 15,
                   type_code = 17;
constexpr uint64_t complex_type_code = 1, function_type_code = 8, tensor_type_code = 20,
                   token_type_code = 22, tuple_type_code = 23;
// Those of builtin's.
constexpr uint64_t builtin_dictionary_code = 1, builtin_string_code = 2, builtin_integer_code = 8,
                   unknown_location_code = 15, builtin_integer_type_code = 0;

ByteWriter coded(uint64_t code) {
  ByteWriter bytes;
  bytes.varint(code);
  return bytes;
}

[[noreturn]] void raise_unknown(const Program& program, size_t offset, const std::string& what) {
  raise<Unimplemented>(
      {.what = str(place_of(program, offset), ": ", what, " in VHLO ", "bytecode")});
}

// MLIR holds a bit for each i1, and one element where all are the same.
std::string boolean_bytes(std::span<const std::byte> values) {
  const auto is_set = [](std::byte value) { return value != std::byte{0}; };
  const bool splat = std::all_of(values.begin(), values.end(), [&](std::byte value) {
    return is_set(value) == is_set(values.front());
  });
  if (values.empty()) return "";
  if (splat) return std::string(1, is_set(values.front()) ? '\xFF' : '\0');
  std::string bytes((values.size() + 7) / 8, '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    if (is_set(values[i])) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << (i % 8));
  }
  return bytes;
}

}  // namespace

std::string without_escapes(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
  };
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
    } else if (i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      plain += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      const char next = text[++i];
      plain += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    }
  }
  return plain;
}

uint64_t VhloWriter::scalar(ElementType element) {
  if (element == ElementType::c64 || element == ElementType::c128) {
    ByteWriter bytes = coded(complex_type_code);
    bytes.varint(scalar(element == ElementType::c64 ? ElementType::f32 : ElementType::f64));
    return tables_.type(BytecodeDialect::vhlo, bytes);
  }
  const auto code = vhlo_scalar_code(element);
  if (!code) raise_unknown(program_, 0, str("the type ", info(element).name));
  return tables_.type(BytecodeDialect::vhlo, coded(*code));
}

uint64_t VhloWriter::tensor_type(std::span<const int64_t> dims, ElementType element) {
  ByteWriter bytes = coded(tensor_type_code);
  bytes.varint(dims.size());
  for (const int64_t size : dims)
    bytes.signed_varint(size == dynamic_size ? std::numeric_limits<int64_t>::min() : size);
  bytes.varint(scalar(element));
  return tables_.type(BytecodeDialect::vhlo, bytes);
}

uint64_t VhloWriter::type(TypeId id) {
  const Type& type = program_.type(id);
  const bool plain = !type.unranked && type.quantization == nullptr && type.encoding.empty();
  if (type.kind == Type::Kind::scalar && plain) return scalar(type.element);
  if (type.kind == Type::Kind::tensor && plain) return tensor_type(type.dims, type.element);
  if (type.kind == Type::Kind::token)
    return tables_.type(BytecodeDialect::vhlo, coded(token_type_code));
  if (type.kind == Type::Kind::tuple) {
    ByteWriter bytes = coded(tuple_type_code);
    bytes.varint(type.parts.size());
    for (const TypeId part : type.parts) bytes.varint(this->type(part));
    return tables_.type(BytecodeDialect::vhlo, bytes);
  }
  raise_unknown(program_, 0, "a quantized, unranked or encoded type");
}

uint64_t VhloWriter::function_type(std::span<const TypeId> inputs,
                                   std::span<const TypeId> results) {
  ByteWriter bytes = coded(function_type_code);
  for (const auto& part : {inputs, results}) {
    bytes.varint(part.size());
    for (const TypeId one : part) bytes.varint(type(one));
  }
  return tables_.type(BytecodeDialect::vhlo, bytes);
}

uint64_t VhloWriter::integer(int64_t value, ElementType element) {
  ByteWriter bytes = coded(integer_code);
  bytes.varint(scalar(element));
  bytes.bits(static_cast<uint64_t>(value), bit_width(element));
  return add(bytes);
}

uint64_t VhloWriter::boolean(bool value) {
  ByteWriter bytes = coded(boolean_code);
  bytes.varint(value ? 1 : 0);
  return add(bytes);
}

uint64_t VhloWriter::text(std::string_view value) {
  ByteWriter bytes = coded(string_code);
  bytes.varint(tables_.string(without_escapes(value)));
  return add(bytes);
}

uint64_t VhloWriter::word(std::string_view enumeration, std::string_view name) {
  const auto found = vhlo_word(enumeration, name);
  if (!found) raise_unknown(program_, 0, str("#stablehlo<", enumeration, " ", name, ">"));
  ByteWriter bytes = coded(found->first);
  bytes.varint(found->second);
  return add(bytes);
}

uint64_t VhloWriter::api_version(int64_t value) {
  ByteWriter bytes = coded(api_version_code);
  bytes.varint(static_cast<uint64_t>(value));
  return add(bytes);
}

uint64_t VhloWriter::list(const std::vector<uint64_t>& attributes) {
  ByteWriter bytes = coded(array_code);
  bytes.varint(attributes.size());
  for (const uint64_t one : attributes) bytes.varint(one);
  return add(bytes);
}

uint64_t VhloWriter::dictionary(const std::vector<NamedAttribute>& fields) {
  ByteWriter bytes = coded(dictionary_code);
  bytes.varint(fields.size());
  for (const NamedAttribute& field : fields) {
    bytes.varint(text(field.name));
    bytes.varint(attribute(field.value));
  }
  return add(bytes);
}

uint64_t VhloWriter::type_attribute(uint64_t type) {
  ByteWriter bytes = coded(type_code);
  bytes.varint(type);
  return add(bytes);
}

uint64_t VhloWriter::numbers(std::span<const int64_t> values, std::vector<int64_t> dims) {
  ByteWriter bytes = coded(tensor_code);
  bytes.varint(tensor_type(dims, ElementType::i64));
  bytes.sized({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  return add(bytes);
}

uint64_t VhloWriter::booleans(std::span<const int64_t> values) {
  std::vector<std::byte> held;
  for (const int64_t value : values) held.push_back(std::byte{value != 0});
  ByteWriter bytes = coded(tensor_code);
  const int64_t size = static_cast<int64_t>(values.size());
  bytes.varint(tensor_type({&size, 1}, ElementType::i1));
  bytes.sized(boolean_bytes(held));
  return add(bytes);
}

uint64_t VhloWriter::constant(const Attribute& value) {
  const Type& type = program_.type(value.type);
  if (type.element == ElementType::index)
    return list({});  // layouts of custom calls, which no program of ours has
  const DenseValue dense = read_dense(program_, value, type.element, Shape(type.dims));
  ByteWriter bytes = coded(tensor_code);
  bytes.varint(this->type(value.type));
  const std::span<const std::byte> raw(dense.literal.raw(), dense.literal.byte_size());
  if (type.element == ElementType::i1) {
    bytes.sized(boolean_bytes(raw));
  } else {
    bytes.sized({reinterpret_cast<const char*>(raw.data()), raw.size()});
  }
  return add(bytes);
}

uint64_t VhloWriter::attribute(const Attribute& value) {
  switch (value.kind) {
    case Kind::boolean:
      return boolean(value.integer != 0);
    case Kind::unit:
      return boolean(true);
    case Kind::integer:
      return integer(value.integer,
                     value.type == no_type ? ElementType::i64 : program_.type(value.type).element);
    case Kind::floating: {
      const ElementType element =
          value.type == no_type ? ElementType::f64 : program_.type(value.type).element;
      if (element != ElementType::f32 && element != ElementType::f64)
        raise_unknown(program_, value.offset, "a number of a narrow type");
      const double number = read_float(program_, value);
      ByteWriter bytes = coded(float_code);
      bytes.varint(scalar(element));
      bytes.bits(element == ElementType::f64 ? std::bit_cast<uint64_t>(number)
                                             : std::bit_cast<uint32_t>(static_cast<float>(number)),
                 bit_width(element));
      return add(bytes);
    }
    case Kind::string:
    case Kind::symbol:
      return text(value.text);
    case Kind::type:
      return type_attribute(type(value.type));
    case Kind::array: {
      std::vector<uint64_t> items;
      for (const Attribute& item : value.items) items.push_back(attribute(item));
      return list(items);
    }
    case Kind::dense_array:
      return axes(read_integers(program_, value));
    case Kind::elements:
      return constant(value);
    case Kind::dictionary:
      return dictionary(value.fields);
    case Kind::enumeration:
      return word(value.name, value.text);
    default:
      raise_unknown(program_, value.offset, str("an attribute '", value.text, "'"));
  }
}

uint64_t VhloWriter::unknown_location() {
  return tables_.attribute(BytecodeDialect::builtin, coded(unknown_location_code));
}

uint64_t VhloWriter::builtin_text(std::string_view value) {
  ByteWriter bytes = coded(builtin_string_code);
  bytes.varint(tables_.string(without_escapes(value)));
  return tables_.attribute(BytecodeDialect::builtin, bytes);
}

uint64_t VhloWriter::builtin_attribute(const Attribute& value) {
  if (value.kind == Kind::string) return builtin_text(value.text);
  if (value.kind != Kind::boolean && value.kind != Kind::integer)
    raise_unknown(program_, value.offset, "an attribute of the module");
  const bool is_boolean = value.kind == Kind::boolean;
  const int width = is_boolean              ? 1
                    : value.type == no_type ? 64
                                            : bit_width(program_.type(value.type).element);
  ByteWriter type = coded(builtin_integer_type_code);
  type.varint(static_cast<uint64_t>(width) << 2);
  ByteWriter bytes = coded(builtin_integer_code);
  bytes.varint(tables_.type(BytecodeDialect::builtin, type));
  bytes.bits(static_cast<uint64_t>(value.integer), width);
  return tables_.attribute(BytecodeDialect::builtin, bytes);
}

uint64_t VhloWriter::builtin_dictionary(
    const std::vector<std::pair<std::string_view, uint64_t>>& fields) {
  ByteWriter bytes = coded(builtin_dictionary_code);
  bytes.varint(fields.size());
  for (const auto& [name, value] : fields) {
    bytes.varint(builtin_text(name));
    bytes.varint(value);
  }
  return tables_.attribute(BytecodeDialect::builtin, bytes);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
