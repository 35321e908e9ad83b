// How integers become an encoding (Keras's `output_mode`). Internal to nn.
#pragma once

#include "systolic/nn/config/choice.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// The encodings, by Keras's names; encode_categories() says what each gives.
struct CategoryOutputNames {
  SYSTOLIC_NAMES(throw "output_mode must be one of: int one_hot multi_hot count")
};
// "int", "one_hot", "multi_hot" or "count"; another literal does not compile.
using CategoryOutput = Choice<CategoryOutputNames>;

// places [batch, ...] from 0 to below `depth`; another one encodes as nothing. "int": as they are;
// "one_hot": [batch, ..., depth], without a last axis of 1 before it; "multi_hot" and "count":
// [batch, ..., depth] over what stands along the last axis (for "count" the second), 1 or how many
// there are.
Tensor encode_categories(const Tensor& places, CategoryOutput mode, int64_t depth, DType dtype);

}  // namespace systolic::inline v0
