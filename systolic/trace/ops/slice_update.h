// Writing a part of an array whose position is known only on the device: a row of a cache, a column
// of what a loop has found so far.
#pragma once

#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// x with the elements that begin at `starts`, an integer scalar for each axis, replaced by
// `update`, which has as many axes. The start is moved so that `update` fits, as on a TPU
// (keras.ops.slice_update). In a loop's state it is written in place.
//
//   cache = slice_update(cache, {0, step, 0}, row);
Tensor slice_update(const Tensor& x, const std::vector<Operand>& starts, const Tensor& update,
                    SourceLocation at = SourceLocation::current());

}  // namespace systolic::inline v0
