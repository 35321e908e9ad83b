// A random matrix with orthonormal rows or columns, whichever are fewer, times gain; axes but the
// last are taken together (Saxe et al. 2014).
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct Orthogonal {
  static constexpr const char* kind = "Orthogonal";
  double gain = 1.0;
  std::optional<int64_t> seed = {};  // instead of the seed that the layer gives

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() {
    return std::tuple(field("gain", &Orthogonal::gain), field("seed", &Orthogonal::seed));
  }
};

}  // namespace systolic::inline v0
