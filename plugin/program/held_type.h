// Element types that callers use and the engine has no arrays of: floats of 4 and 8 bits, integers
// of 2. The engine holds their bits (systolic/stablehlo/import/import.h), one byte per element, as
// the host does.
#pragma once

#include "systolic/core/literal.h"
#include "systolic/pjrt_abi/pjrt_abi.h"
#include "systolic/stablehlo/element_type.h"

namespace systolic::inline v0 {
namespace plugin {

namespace abi = pjrt::abi;

// The element type of the engine's arrays for a caller's type; Unimplemented where there is none.
DType held_as(abi::ElementType type);

// The caller's name for the elements of an argument or a result that is written as `written` and
// held as `held`.
abi::ElementType element_type(stablehlo::ElementType written, DType held);

// PrimitiveType of xla_data.proto.
int64_t primitive_type(abi::ElementType type);

// A byte of the host holds a number of fewer bits in its lower part; the bits above may be
// anything.
void clear_unused_bits(abi::ElementType type, Literal& literal);

}  // namespace plugin
}  // namespace systolic::inline v0
