// How values between the elements of an array are made of them, when it is resized (Keras's
// `interpolation`): "nearest" takes an element, the others a weighted mean of the elements that lie
// near.
#pragma once

#include "systolic/nn/config/choice.h"

// What it may be called, and what weighs an element by its distance: nothing where only one counts.
// clang-format off
#define SYSTOLIC_INTERPOLATIONS(named) \
  named("nearest", nullptr)            \
  named("bilinear", triangle)          \
  named("bicubic", cubic)              \
  named("lanczos3", lanczos<3>)        \
  named("lanczos5", lanczos<5>)
// clang-format on

namespace systolic::inline v0 {

// The names that an Interpolation takes: nearest, bilinear, bicubic, lanczos3, lanczos5.
struct InterpolationNames {
  SYSTOLIC_NAMES_OF("interpolation", SYSTOLIC_INTERPOLATIONS)
};
using Interpolation = Choice<InterpolationNames>;

}  // namespace systolic::inline v0
