// What a loss is given where it wants logits, or probabilities. Internal to losses.
#pragma once

#include <string_view>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Warns, once, where predictions that are taken for logits are what a softmax or a sigmoid gave:
// `loss` is what takes them.
void warn_of_probabilities(std::string_view loss, const Tensor& predictions);

// Warns, once, where predictions that are taken for probabilities are what a product gave, such as
// a Dense without an activation: numbers below 0 and above 1, where the loss is clipped and teaches
// nothing. `remedy` is what to write instead.
void warn_of_logits(std::string_view loss, const Tensor& predictions, std::string_view remedy);

}  // namespace systolic::inline v0
