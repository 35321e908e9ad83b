// The distinct elements of an array.
#pragma once

#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct UniqueOptions {
  // Number of elements of the result. It must be given: how many are distinct is known only when
  // the program runs, and shapes are known earlier.
  std::optional<int64_t> size = {};
  std::optional<double> fill_value = {};  // after the last one; the smallest element by default
};

// The distinct elements of x, of any shape, in ascending order: [size]. Elements beyond `size` are
// dropped, free places filled (jax.numpy.unique's `size`).
//
//   unique(constant({3, 1, 3, 2}), {.size = 4, .fill_value = -1})     // 1 2 3 -1
Tensor unique(const Tensor& x, UniqueOptions options = {},
              SourceLocation at = SourceLocation::current());

}  // namespace systolic::inline v0
