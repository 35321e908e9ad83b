// Rules of convolution and of the window ops, and the padding arithmetic that they share.
#pragma once

#include <cstdint>
#include <utility>

#include "systolic/autodiff/gradient_rule.h"
#include "systolic/core/window.h"

namespace systolic::inline v0 {
namespace autodiff {

void differentiate_convolution(GradientRule& r);
void differentiate_reduce_window(GradientRule& r);
void differentiate_select_and_scatter(GradientRule& r);

// Padding of the output's gradient, dilated by the stride, so that windows over it give back the
// input: what the forward windows reached at the low end, and the rest at the high end. `input` and
// `output` are the axis's sizes.
std::pair<int64_t, int64_t> padding_of_input_gradient(const WindowAxis& axis, int64_t input,
                                                      int64_t output);
// Padding of the input so that the output's gradient, dilated by the stride and slid over it with
// the window's dilation as stride, gives back the window.
std::pair<int64_t, int64_t> padding_of_window_gradient(const WindowAxis& axis, int64_t input,
                                                       int64_t output);

}  // namespace autodiff
}  // namespace systolic::inline v0
