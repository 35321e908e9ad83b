// Uniform in [minval, maxval) (keras.initializers.RandomUniform).
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct RandomUniform {
  static constexpr const char* kind = "RandomUniform";
  double minval = -0.05;
  double maxval = 0.05;
  std::optional<int64_t> seed = {};  // instead of the seed that the layer gives

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() {
    return std::tuple(field("minval", &RandomUniform::minval),
                      field("maxval", &RandomUniform::maxval), field("seed", &RandomUniform::seed));
  }
};

}  // namespace systolic::inline v0
