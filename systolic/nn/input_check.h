// Checks of layers' inputs, with one wording (keras.layers.InputSpec). Errors come
// out as "Conv2D 'stage1/conv2': input has 3 axes (28, 28, 1), expected 4: [batch, height, width,
// channels]."
#pragma once

#include <string_view>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// `axes` names the axes: "[batch, height, width, channels]". One axis too few gets the hint about
// the batch axis.
void check_rank(const Tensor& x, int rank, std::string_view axes);
// At least `rank` axes.
void check_min_rank(const Tensor& x, int rank, std::string_view axes);
// A count that must be at least 1, such as filters or units.
void check_positive(std::string_view field, int64_t value);
// A count that must be at least 0, such as a padding.
void check_not_negative(std::string_view field, int64_t value);
// The position of an axis that may be negative; out of range is an InvalidArgument naming `field`.
int checked_axis(std::string_view field, int64_t axis, int rank);
// All of the same type; `least` or more of them.
void check_inputs(const std::vector<Tensor>& xs, size_t least);

}  // namespace systolic::inline v0
