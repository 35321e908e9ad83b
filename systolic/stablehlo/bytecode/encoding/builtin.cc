// The builtin dialect's attributes and types (mlir/IR/BuiltinDialectBytecode.td has the codes).
#include <array>

#include "systolic/base/text.h"
#include "systolic/stablehlo/bytecode/encoding/elements.h"
#include "systolic/stablehlo/bytecode/encoding/types.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;
using E = ElementType;

constexpr std::array scalar_codes{ScalarCode{1, E::index},
                                  ScalarCode{3, E::bf16},
                                  ScalarCode{4, E::f16},
                                  ScalarCode{5, E::f32},
                                  ScalarCode{6, E::f64},
                                  ScalarCode{12, E::none},
                                  ScalarCode{21, E::tf32},
                                  ScalarCode{22, E::f8e5m2},
                                  ScalarCode{23, E::f8e4m3},
                                  ScalarCode{24, E::f8e4m3fn},
                                  ScalarCode{25, E::f8e5m2fnuz},
                                  ScalarCode{26, E::f8e4m3fnuz},
                                  ScalarCode{27, E::f8e4m3b11fnuz},
                                  ScalarCode{28, E::f8e3m4},
                                  ScalarCode{29, E::f4e2m1fn},
                                  ScalarCode{30, E::f6e2m3fn},
                                  ScalarCode{31, E::f6e3m2fn},
                                  ScalarCode{32, E::f8e8m0fnu}};

Attribute of_kind(Kind kind) {
  Attribute result;
  result.kind = kind;
  return result;
}

Attribute opaque_text(Reader& reader, std::string text) {
  Attribute result = of_kind(Kind::opaque);
  result.text = reader.implied(std::move(text));
  return result;
}

Attribute text_of_kind(Reader& reader, Kind kind, std::string_view text) {
  Attribute result = of_kind(kind);
  result.text = reader.escaped(text);
  return result;
}

// An attribute that must be a string.
std::string_view text_attribute(Reader& reader, Bytes& bytes, Kind kind = Kind::string) {
  const Attribute attribute = reader.attribute(bytes);
  if (attribute.kind != kind) bytes.fail("an attribute", {}, "a string");
  return attribute.text;
}

Attribute array(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::array);
  const size_t count = bytes.count("attributes");
  for (size_t i = 0; i < count; ++i) result.items.push_back(reader.attribute(bytes));
  return result;
}

Attribute dictionary(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::dictionary);
  const size_t count = bytes.count("attributes");
  for (size_t i = 0; i < count; ++i) {
    const std::string_view name = text_attribute(reader, bytes);
    if (find(result.fields, name) != nullptr) bytes.fail("an attribute", std::string(name), "once");
    result.fields.push_back({name, reader.attribute(bytes)});
  }
  return result;
}

// @root::@nested
Attribute nested_symbol(Reader& reader, Bytes& bytes) {
  std::string text(text_attribute(reader, bytes));
  const size_t count = bytes.count("symbols");
  for (size_t i = 0; i < count; ++i) {
    text += str("::@", text_attribute(reader, bytes, Kind::symbol));
    if (text.size() > bytes.left() + 4096) bytes.fail("a symbol", {}, "a shorter one");
  }
  return text_of_kind(reader, Kind::symbol, text);
}

// Locations say where in the user's program an op came from: the innermost file and line, else the
// name.
Attribute file_location(Reader& reader, Bytes& bytes) {
  const std::string_view file = text_attribute(reader, bytes);
  reader.weigh_one();
  const uint64_t line = bytes.varint(), column = bytes.varint();
  return opaque_text(reader, str("loc(\"", file, "\":", line, ":", column, ")"));
}

// With a range: line, column, and where it ends.
Attribute file_range(Reader& reader, Bytes& bytes) {
  const std::string_view file = text_attribute(reader, bytes);
  std::vector<uint64_t> places(bytes.count("lines and columns"));
  for (uint64_t& place : places) place = bytes.varint();
  places.resize(2);
  reader.weigh_one();
  return opaque_text(reader, str("loc(\"", file, "\":", places[0], ":", places[1], ")"));
}

Attribute named_location(Reader& reader, Bytes& bytes) {
  const std::string_view name = text_attribute(reader, bytes);
  Attribute child = reader.attribute(bytes);
  reader.weigh_one();
  if (child.kind == Kind::opaque && child.text != "loc(unknown)") return child;
  return opaque_text(reader, str("loc(\"", name, "\")"));
}

Attribute fused_location(Reader& reader, Bytes& bytes) {
  const size_t count = bytes.count("locations");
  Attribute first = opaque_text(reader, "loc(unknown)");
  for (size_t i = 0; i < count; ++i) {
    Attribute part = reader.attribute(bytes);
    if (i == 0) first = std::move(part);
  }
  reader.weigh_one();
  return first;
}

Attribute resource_elements(Reader& reader, Bytes& bytes) {
  const TypeId type = reader.type(bytes);
  const uint64_t index = bytes.varint();
  const auto& resources = reader.sections().resources;
  if (index >= resources.size() || !resources[static_cast<size_t>(index)].blob) {
    bytes.fail("the number of a resource", str(index), "one that is a blob");
  }
  const std::string_view data = resources[static_cast<size_t>(index)].blob->text();
  reader.charge(bytes, data.size());  // every attribute that names it has a text of its own
  return dense_elements(reader, bytes, type, data);
}

Attribute number(Reader& reader, Bytes& bytes, bool is_float) {
  const ElementType element = reader.element(bytes).element;
  const int width = bit_width(element);
  if (width == 0) bytes.fail("a number's type", std::string(info(element).name), "a number's");
  const uint64_t bits = bytes.bits(width);
  if (is_float) return float_attribute(reader, bytes, element, bits);
  if (!is_whole(element)) bytes.fail("a whole number's type", std::string(info(element).name));
  return integer_attribute(reader, element, bits);
}

Attribute type_attribute(Reader& reader, Bytes& bytes) {
  Attribute result = of_kind(Kind::type);
  result.type = reader.type(bytes);
  return result;
}

std::string_view blob(Bytes& bytes) {
  const uint64_t size = bytes.varint();
  return bytes.take(size, "a blob").text();
}

}  // namespace

Attribute read_builtin_attribute(Reader& reader, Bytes& bytes) {
  const uint64_t code = bytes.varint();
  switch (code) {
    case 0:
      return array(reader, bytes);
    case 1:
      return dictionary(reader, bytes);
    case 2:
    case 3:  // with a type
      return text_of_kind(reader, Kind::string, reader.string(bytes));
    case 4:
      return text_of_kind(reader, Kind::symbol, text_attribute(reader, bytes));
    case 5:
      return nested_symbol(reader, bytes);
    case 6:
      return type_attribute(reader, bytes);
    case 7:
      return of_kind(Kind::unit);
    case 8:
    case 9:
      return number(reader, bytes, code == 9);
    case 10: {  // callee at caller
      Attribute callee = reader.attribute(bytes);
      reader.attribute(bytes);
      reader.weigh_one();
      return callee;
    }
    case 11:
      return file_location(reader, bytes);
    case 12:
    case 13:  // with metadata
      return fused_location(reader, bytes);
    case 14:
      return named_location(reader, bytes);
    case 15:
      return opaque_text(reader, "loc(unknown)");
    case 16:
      return resource_elements(reader, bytes);
    case 17: {
      const ElementType element = reader.element(bytes).element;
      const uint64_t count = bytes.varint();
      return dense_array(reader, bytes, element, count, blob(bytes));
    }
    case 18: {
      const TypeId type = reader.type(bytes);
      return dense_elements(reader, bytes, type, blob(bytes));
    }
    case 21:  // distinct
      return reader.attribute(bytes);
    case 22:
      return file_range(reader, bytes);
    default:
      bytes.fail("the code of a builtin attribute", str(code), "0 to 18, 21 or 22");
  }
}

TypeId read_builtin_type(Reader& reader, Bytes& bytes) {
  const uint64_t code = bytes.varint();
  for (const ScalarCode& row : scalar_codes) {
    if (row.code == code) return reader.scalar(row.element);
  }
  switch (code) {
    case 0:
      return integer_type(reader, bytes);
    case 2:
      return function_type(reader, bytes);
    case 9:
      return complex_type(reader, bytes);
    case 13:
      return tensor_type(reader, bytes, false);
    case 14:
      return tensor_type(reader, bytes, true);
    case 15:
      return type_of_parts(reader, bytes, Type::Kind::tuple);
    case 18:
      return unranked_type(reader, bytes);
    default:
      bytes.fail("the code of a builtin type", str(code), "that of a number, tensor or function");
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
