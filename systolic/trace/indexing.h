// Indexing by a list that is built while the program runs; x[{...}] is for lists that are written
// out.
#pragma once

#include <span>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// The same as x[{...}]; at least one index.
Tensor index_by(const Tensor& x, std::span<const Index> indices);

}  // namespace systolic::inline v0
