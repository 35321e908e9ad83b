// Weights are scaled so that their norm along `axis` is max_value at most
// (keras.constraints.MaxNorm; Srivastava et al. 2014).
//
//   Dense{.units = 64, .kernel_constraint = MaxNorm{.max_value = 3}}      of each unit's weights
//   Conv2D{..., .kernel_constraint = MaxNorm{.axis = {0, 1, 2}}}          of each filter
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/nn/config/fields.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct MaxNorm {
  static constexpr const char* kind = "MaxNorm";
  double max_value = 2;
  std::vector<int64_t> axis = {0};

  Tensor operator()(const Tensor& weight) const;
  static constexpr auto fields() {
    return std::tuple(field("max_value", &MaxNorm::max_value), field("axis", &MaxNorm::axis));
  }
};

}  // namespace systolic::inline v0
