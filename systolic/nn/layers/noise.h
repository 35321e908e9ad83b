// What layers that are random while training have in common. Internal to nn.
#pragma once

#include <optional>
#include <vector>

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

// From 0 to 1, or to below 1; else an InvalidArgument.
void check_rate(double rate, bool with_1);

// The context's next key, or one that depends on `seed` as well.
Tensor noise_key(CallContext& context, std::optional<int64_t> seed);

// Pred: false with probability `rate`. One draw for each element of the input's shape;
// `noise_shape` has 1 where an axis shares its draws, -1 for the input's size, and is empty for all
// sizes.
Tensor kept_elements(const Tensor& x, double rate, const std::vector<int64_t>& noise_shape,
                     const Tensor& key);

// x with the elements that are kept times 1 / (1 - rate), the others 0.
Tensor dropped_out(const Tensor& x, double rate, const std::vector<int64_t>& noise_shape,
                   const Tensor& key);

}  // namespace systolic::inline v0
