// Weights below 0 become 0 (keras.constraints.NonNeg).
//
//   Dense{.units = 64, .kernel_constraint = "non_neg"}
#pragma once

#include "systolic/nn/config/fields.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct NonNeg {
  static constexpr const char* kind = "NonNeg";

  Tensor operator()(const Tensor& weight) const;
  static constexpr auto fields() { return std::tuple(); }
};

}  // namespace systolic::inline v0
