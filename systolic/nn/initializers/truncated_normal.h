// Normal, redrawn beyond two standard deviations (keras.initializers.TruncatedNormal).
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct TruncatedNormal {
  static constexpr const char* kind = "TruncatedNormal";
  double mean = 0.0;
  double stddev = 0.05;
  std::optional<int64_t> seed = {};  // instead of the seed that the layer gives

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() {
    return std::tuple(field("mean", &TruncatedNormal::mean),
                      field("stddev", &TruncatedNormal::stddev),
                      field("seed", &TruncatedNormal::seed));
  }
};

}  // namespace systolic::inline v0
