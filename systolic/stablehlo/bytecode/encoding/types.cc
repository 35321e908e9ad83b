#include "systolic/stablehlo/bytecode/encoding/types.h"

#include <limits>

#include "systolic/base/text.h"
#include "systolic/stablehlo/parse.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// What "?" is in the bytecode.
constexpr int64_t encoded_dynamic_size = std::numeric_limits<int64_t>::min();

void set_element(Reader& reader, Bytes& bytes, Type& type) {
  const Type& element = reader.element(bytes);
  type.element = element.element;
  type.quantization = element.quantization;
}

}  // namespace

std::vector<int64_t> read_dims(Bytes& bytes) {
  std::vector<int64_t> dims(bytes.count("sizes"));
  if (dims.size() > static_cast<size_t>(max_nesting)) {
    bytes.fail("a shape", str(dims.size(), " axes"), str("at most ", max_nesting));
  }
  for (int64_t& size : dims) {
    size = bytes.signed_varint();
    if (size == encoded_dynamic_size) {
      size = dynamic_size;
    } else if (size < 0) {
      bytes.fail("a size", str(size), "0 to 2^63 - 1");
    }
  }
  return dims;
}

TypeId integer_type(Reader& reader, Bytes& bytes) {
  const uint64_t code = bytes.varint(), width = code >> 2;
  constexpr uint64_t is_unsigned = 2;
  const std::string name = str((code & 3) == is_unsigned ? "ui" : "i", width);
  const std::optional<ElementType> found = find_element_type(name);
  if (!found) bytes.fail("an integer type", name, "i1, i8, ui8 and the like");
  return reader.scalar(*found);
}

TypeId complex_type(Reader& reader, Bytes& bytes) {
  const ElementType part = reader.element(bytes).element;
  if (part != ElementType::f32 && part != ElementType::f64) {
    bytes.fail("a complex number's parts", std::string(info(part).name), "f32 or f64");
  }
  return reader.scalar(part == ElementType::f32 ? ElementType::c64 : ElementType::c128);
}

TypeId tensor_type(Reader& reader, Bytes& bytes, bool has_encoding) {
  Type type;
  if (has_encoding) {
    const Attribute encoding = reader.attribute(bytes);
    if (encoding.kind != Attribute::Kind::opaque) bytes.fail("a tensor's encoding");
    type.encoding = encoding.text;
    reader.weigh(encoding.text.size());
  }
  type.dims = read_dims(bytes);
  reader.weigh(type.dims.size());
  set_element(reader, bytes, type);
  return reader.intern(bytes, std::move(type));
}

TypeId unranked_type(Reader& reader, Bytes& bytes) {
  Type type;
  type.unranked = true;
  set_element(reader, bytes, type);
  return reader.intern(bytes, std::move(type));
}

TypeId type_of_parts(Reader& reader, Bytes& bytes, Type::Kind kind) {
  Type type;
  type.kind = kind;
  type.parts = reader.types(bytes);
  return reader.intern(bytes, std::move(type));
}

TypeId function_type(Reader& reader, Bytes& bytes) {
  Type type;
  type.kind = Type::Kind::function;
  type.parts = reader.types(bytes);
  type.inputs = type.parts.size();
  for (TypeId result : reader.types(bytes)) type.parts.push_back(result);
  return reader.intern(bytes, std::move(type));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
