// Element types that callers name and the engine has no arrays of: floats of 4 and 8 bits, integers
// of 2. The engine holds their bits (systolic/stablehlo/import/import.h), a byte an element, as the
// host does.
#pragma once

#include "systolic/core/literal.h"
#include "systolic/pjrt_abi/pjrt_abi.h"
#include "systolic/stablehlo/element_type.h"

namespace systolic::inline v0 {
namespace plugin {

namespace abi = pjrt::abi;

// What the engine's arrays of a caller's type are of; Unimplemented for a type that it has not.
DType held_as(abi::ElementType type);

// What callers call the elements of an argument or a result that is written as `written` and held
// as `held`.
abi::ElementType element_type(stablehlo::ElementType written, DType held);

// PrimitiveType of xla_data.proto.
int64_t primitive_type(abi::ElementType type);

// A byte of the host holds a number of fewer bits in its lower part, and anything above.
void clear_unused_bits(abi::ElementType type, Literal& literal);

}  // namespace plugin
}  // namespace systolic::inline v0
