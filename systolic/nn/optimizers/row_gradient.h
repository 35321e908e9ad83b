// The gradient of a table of which a step looks up a few rows: which rows, and what each gets.
// Internal to nn.
#pragma once

#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct RowGradient {
  Tensor distinct;   // i32 [count]: the rows in rising order; free places hold the number of rows
  Tensor positions;  // i32 [count]: where in `distinct` the row of each update stands
  Tensor updates;    // [count, ...]: what is added up
};

// What `gradient` is made of where it is that of a gather of rows and nothing else; nothing where
// it is another.
std::optional<RowGradient> row_gradient(const Tensor& gradient);

// The sum of the updates of each row of `distinct`: [count, ...].
Tensor summed_rows(const RowGradient& gradient);

}  // namespace systolic::inline v0
