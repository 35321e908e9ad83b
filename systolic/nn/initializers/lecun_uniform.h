// Uniform of variance 1 / fan_in, for SELU networks (Klambauer et al. 2017).
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct LecunUniform {
  static constexpr const char* kind = "LecunUniform";
  std::optional<int64_t> seed = {};  // instead of the seed that the layer gives

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() { return std::tuple(field("seed", &LecunUniform::seed)); }
};

}  // namespace systolic::inline v0
