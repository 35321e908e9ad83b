// Losses of what was predicted, as transformers' Trainer evaluates them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "systolic/core/literal.h"

namespace tool::fine_tune {

// -log softmax(scores)[label]
double cross_entropy(std::span<const float> scores, size_t label);

// The mean of the batches' losses, each the mean over its labels of 0 or more, for logits f32
// [rows, tokens, classes], which are padded after their labels or in front of them.
double token_loss(const systolic::Literal& logits, const std::vector<std::vector<int32_t>>& labels,
                  int64_t batch, bool pads_in_front);

}  // namespace tool::fine_tune
