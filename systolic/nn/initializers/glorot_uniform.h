// Uniform of variance 2 / (fan_in + fan_out): Keras's default for kernels (Glorot and Bengio 2010).
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct GlorotUniform {
  static constexpr const char* kind = "GlorotUniform";
  std::optional<int64_t> seed = {};  // instead of the seed that the layer gives

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() { return std::tuple(field("seed", &GlorotUniform::seed)); }
};

}  // namespace systolic::inline v0
