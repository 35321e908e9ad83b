// Keeps the variance of what flows through a layer (keras.initializers.VarianceScaling): the spread
// of the weights is scale / fan, fan being what `mode` names. Glorot, He and LeCun are cases of it.
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

// What the scale is divided by: a weight's inputs, its outputs, or the mean of the two.
struct FanNames {
  SYSTOLIC_NAMES(throw "mode must be one of: fan_in fan_out fan_avg")
};

// How weights are drawn: from a normal distribution cut at two standard deviations, from a whole
// one, or from a uniform one; their variance is the same.
struct DistributionNames {
  SYSTOLIC_NAMES(throw "distribution must be one of: truncated_normal untruncated_normal uniform")
};

struct VarianceScaling {
  static constexpr const char* kind = "VarianceScaling";
  double scale = 1.0;
  Choice<FanNames> mode = "fan_in";
  Choice<DistributionNames> distribution = "truncated_normal";
  std::optional<int64_t> seed = {};  // instead of the seed that the layer gives

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() {
    return std::tuple(field("scale", &VarianceScaling::scale),
                      field("mode", &VarianceScaling::mode),
                      field("distribution", &VarianceScaling::distribution),
                      field("seed", &VarianceScaling::seed));
  }
};

// (fan_in, fan_out) of a kernel [spatial..., in, out].
struct Fans {
  double in, out;
};
Fans fans_of(const Shape& shape);

}  // namespace systolic::inline v0
