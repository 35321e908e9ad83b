// Plugins' element types and ours.
#pragma once

#include "systolic/core/dtype.h"
#include "systolic/pjrt_abi/pjrt_abi.h"

namespace systolic::inline v0 {
namespace pjrt {

// Types without a counterpart are an Unimplemented.
abi::ElementType element_type(DType dtype);
DType dtype_of_element(abi::ElementType type);

}  // namespace pjrt
}  // namespace systolic::inline v0
