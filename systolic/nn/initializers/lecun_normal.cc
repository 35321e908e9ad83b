#include "systolic/nn/initializers/lecun_normal.h"

#include "systolic/nn/initializers/variance_scaling.h"

namespace systolic::inline v0 {

Literal LecunNormal::operator()(const Shape& shape, uint64_t layer_seed) const {
  return VarianceScaling{
      .scale = 1.0, .mode = "fan_in", .distribution = "truncated_normal", .seed = seed}(shape,
                                                                                        layer_seed);
}

}  // namespace systolic::inline v0
