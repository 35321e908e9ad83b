#include "systolic/nn/initializers/he_uniform.h"

#include "systolic/nn/initializers/variance_scaling.h"

namespace systolic::inline v0 {

Literal HeUniform::operator()(const Shape& shape, uint64_t layer_seed) const {
  return VarianceScaling{.scale = 2.0, .mode = "fan_in", .distribution = "uniform", .seed = seed}(
      shape, layer_seed);
}

}  // namespace systolic::inline v0
