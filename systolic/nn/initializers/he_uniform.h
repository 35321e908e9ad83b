// Uniform of variance 2 / fan_in, for ReLU networks (He et al. 2015).
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct HeUniform {
  static constexpr const char* kind = "HeUniform";
  std::optional<int64_t> seed = {};  // instead of the seed that the layer gives

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() { return std::tuple(field("seed", &HeUniform::seed)); }
};

}  // namespace systolic::inline v0
