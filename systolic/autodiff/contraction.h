// Rules of convolution and of the window ops, and the padding arithmetic that they share.
#pragma once

#include <cstdint>

#include "systolic/autodiff/rule.h"

namespace systolic::inline v0 {
namespace autodiff {

void differentiate_convolution(Rule& r);
void differentiate_reduce_window(Rule& r);
void differentiate_select_and_scatter(Rule& r);

// One axis of a convolution or a window op.
struct WindowAxis {
  int64_t input = 1, window = 1, output = 1;
  int64_t stride = 1, input_dilation = 1, window_dilation = 1;
  int64_t low = 0, high = 0;  // padding

  static int64_t dilated(int64_t size, int64_t dilation) {
    return size == 0 ? 0 : 1 + dilation * (size - 1);
  }
  // Padding of the output's gradient, dilated by the stride, so that windows over it give back the
  // input: what the forward windows reached at the low end, and the rest at the high end.
  std::pair<int64_t, int64_t> padding_of_input_gradient() const {
    const int64_t reach = dilated(window, window_dilation);
    const int64_t before = reach - low - 1;
    const int64_t after =
        dilated(input, input_dilation) + reach - 1 - dilated(output, stride) - before;
    return {before, after};
  }
  // Padding of the input so that the output's gradient, dilated by the stride and slid over it with
  // the window's dilation as stride, gives back the window.
  std::pair<int64_t, int64_t> padding_of_window_gradient() const {
    const int64_t reach = dilated(window, window_dilation);
    const int64_t after =
        dilated(output, stride) - dilated(input, input_dilation) + reach - low - 1;
    return {low, after};
  }
};

}  // namespace autodiff
}  // namespace systolic::inline v0
