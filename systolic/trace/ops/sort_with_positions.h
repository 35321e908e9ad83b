// Sorting, with where each element stood before. Internal to the library.
#pragma once

#include <cstdint>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct Sorted {
  Tensor values, positions;  // positions: i32, of the shape of values
};

// Along `axis`, which counts from the front; equal elements stay in their order.
Sorted sort_with_positions(const Tensor& x, int64_t axis, bool descending,
                           SourceLocation at = SourceLocation::current());

}  // namespace systolic::inline v0
