// What a loss is given where it wants logits. Internal to losses.
#pragma once

#include <string_view>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Warns, once, where predictions that are taken for logits are what a softmax or a sigmoid gave:
// `loss` is what takes them.
void warn_of_probabilities(std::string_view loss, const Tensor& predictions);

}  // namespace systolic::inline v0
