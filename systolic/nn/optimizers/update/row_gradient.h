// The gradient of a table of which a step looks up a few rows: which rows, and what each gets.
// What it costs follows from the number of look-ups alone, whatever the table's height.
// Internal to nn.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Each look-up by itself, in the order of the step.
struct RowUpdates {
  Tensor rows;     // i32 [count]; a row may appear several times
  Tensor updates;  // [count, ...]
};

// What `gradient` is made of where it is that of gathers of rows and nothing else; nothing where it
// is another. A step that looks up nothing has updates of no rows.
std::optional<RowUpdates> row_updates(const Tensor& gradient);

// Each row once.
struct RowGradient {
  Tensor rows;  // i32 [count], rising; the place of a repeated row holds the table's height, which
                // scatter_update leaves out
  Tensor sums;  // [count, ...]: of each row's updates, in their order; 0 in those places
};

// `height`: rows of the table. At least one update.
RowGradient sum_rows(const RowUpdates& updates, int64_t height);

}  // namespace systolic::inline v0
