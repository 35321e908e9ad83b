// Weights are scaled so that their norm along `axis` is 1 (keras.constraints.UnitNorm).
//
//   Dense{.units = 64, .kernel_constraint = "unit_norm"}      of each unit's weights
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/nn/config/fields.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct UnitNorm {
  static constexpr const char* kind = "UnitNorm";
  std::vector<int64_t> axis = {0};

  Tensor operator()(const Tensor& weight) const;
  static constexpr auto fields() { return std::tuple(field("axis", &UnitNorm::axis)); }
};

}  // namespace systolic::inline v0
