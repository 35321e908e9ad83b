// How values between the elements of an array are made of them, when it is resized (Keras's
// `interpolation`): "nearest" takes an element, the others a weighted mean of the elements that lie
// near.
#pragma once

#include "systolic/nn/config/choice.h"

namespace systolic::inline v0 {

struct InterpolationNames {
  SYSTOLIC_NAMES(throw "interpolation must be one of: nearest bilinear bicubic lanczos3 lanczos5")
};
using Interpolation = Choice<InterpolationNames>;

}  // namespace systolic::inline v0
