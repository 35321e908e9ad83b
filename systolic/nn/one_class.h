// What compares classes, where there is one: a softmax of one number is 1 whatever the number is,
// so that nothing is learnt. Internal to nn.
#pragma once

#include <string_view>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Warns, once for each layer, where x has size 1 along `axis`. `what` looks at the classes along
// it; `instead` is what is mostly meant: "sigmoid".
void warn_of_one_class(std::string_view what, const Tensor& x, int axis, std::string_view instead);

}  // namespace systolic::inline v0
