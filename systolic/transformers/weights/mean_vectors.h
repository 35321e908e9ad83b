// How tokens that are added to a trained table start. Internal to transformers.
#pragma once

#include <cstdint>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// vectors: [tokens, size], at least one token. [count, size] of its type, drawn from the normal
// distribution of the vectors' mean and 1e-9 times their covariance: the scores of new tokens then
// leave those of the others most of their probability (Hewitt, "Initializing New Word Embeddings
// for Pretrained Language Models", 2021; transformers' mean_resizing).
Tensor near_mean_vectors(const Tensor& vectors, int64_t count);

// numbers: [tokens], at least one. [count], from the normal distribution of their mean and 1e-9
// times their standard deviation.
Tensor near_mean_numbers(const Tensor& numbers, int64_t count);

}  // namespace systolic::inline v0
