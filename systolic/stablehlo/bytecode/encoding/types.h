// Types that builtin and VHLO encode alike.
#pragma once

#include "systolic/stablehlo/bytecode/encoding/reader.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Types without parts, by the code that a dialect uses for them.
struct ScalarCode {
  uint64_t code;
  ElementType element;
};

TypeId integer_type(Reader& reader, Bytes& bytes);  // width and signedness
TypeId complex_type(Reader& reader, Bytes& bytes);
TypeId tensor_type(Reader& reader, Bytes& bytes, bool has_encoding);
TypeId unranked_type(Reader& reader, Bytes& bytes);
TypeId type_of_parts(Reader& reader, Bytes& bytes, Type::Kind kind);  // a tuple or a future
TypeId function_type(Reader& reader, Bytes& bytes);
std::vector<int64_t> read_dims(Bytes& bytes);

}  // namespace stablehlo
}  // namespace systolic::inline v0
