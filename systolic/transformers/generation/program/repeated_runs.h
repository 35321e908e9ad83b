// Which tokens would repeat a run of tokens of the text. Internal to transformers.
#pragma once

#include <cstdint>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Texts lie in ids i32 [rows, slots], from starts i32 [rows] to before `end`, an i32 scalar. Pred
// [rows, vocabulary]: those tokens that, put at `end`, would make a run of `length` tokens that
// stands in the text already.
Tensor repeated_runs(const Tensor& ids, const Tensor& starts, const Tensor& end, int64_t length,
                     int64_t vocabulary);

}  // namespace systolic::inline v0
