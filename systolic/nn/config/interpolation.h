// How values between the elements of an array are made of them, when it is resized (Keras's
// `interpolation`): "nearest" takes an element, the others a weighted mean of the elements that lie
// near.
#pragma once

#include <array>

#include "systolic/nn/config/choice.h"

namespace systolic::inline v0 {

struct InterpolationNames {
  static constexpr std::string_view subject = "interpolation";
  static constexpr std::array<std::string_view, 5> names{"nearest", "bilinear", "bicubic",
                                                         "lanczos3", "lanczos5"};
  static constexpr int position(std::string_view name) {
    const int found = position_in(names, name);
    if (found < 0) throw "interpolation must be one of: nearest bilinear bicubic lanczos3 lanczos5";
    return found;
  }
};
using Interpolation = Choice<InterpolationNames>;

}  // namespace systolic::inline v0
