// Writing a part of an array whose place is known only on the device: a row of a cache, a column of
// what a loop has found so far.
#pragma once

#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// x with `update`, of as many axes, in the place of the elements that begin at `starts`, an integer
// scalar for each axis. It is moved so that it lies inside, as on a TPU (keras.ops.slice_update).
// In a loop's state it is written in place.
//
//   cache = slice_update(cache, {0, step, 0}, row);
Tensor slice_update(const Tensor& x, const std::vector<Operand>& starts, const Tensor& update,
                    SourceLocation at = SourceLocation::current());

}  // namespace systolic::inline v0
