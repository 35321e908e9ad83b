// Weights are scaled so that their norm along `axis` lies between min_value and max_value
// (keras.constraints.MinMaxNorm): with rate below 1 only that share of the way in each step.
//
//   Dense{.units = 64, .kernel_constraint = MinMaxNorm{.min_value = 0.5, .max_value = 2}}
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/nn/config/fields.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct MinMaxNorm {
  static constexpr const char* kind = "MinMaxNorm";
  double min_value = 0;
  double max_value = 1;
  double rate = 1;
  std::vector<int64_t> axis = {0};

  Tensor operator()(const Tensor& weight) const;
  static constexpr auto fields() {
    return std::tuple(field("min_value", &MinMaxNorm::min_value),
                      field("max_value", &MinMaxNorm::max_value), field("rate", &MinMaxNorm::rate),
                      field("axis", &MinMaxNorm::axis));
  }
};

}  // namespace systolic::inline v0
