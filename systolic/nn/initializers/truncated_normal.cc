#include "systolic/nn/initializers/truncated_normal.h"

#include "systolic/nn/initializers/host_random.h"

namespace systolic::inline v0 {

Literal TruncatedNormal::operator()(const Shape& shape, uint64_t layer_seed) const {
  return host_truncated_normal(shape, mean, stddev,
                               seed ? static_cast<uint64_t>(*seed) : layer_seed);
}

}  // namespace systolic::inline v0
