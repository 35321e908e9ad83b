#include "systolic/nn/initializers/variance_scaling.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/host_random.h"

namespace systolic::inline v0 {

Fans fans_of(const Shape& shape) {
  if (shape.rank() == 0) return {1, 1};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  const double field_size = static_cast<double>(shape.slice(0, shape.rank() - 2).elements());
  return {static_cast<double>(shape[-2]) * field_size, static_cast<double>(shape[-1]) * field_size};
}

Literal VarianceScaling::operator()(const Shape& shape, uint64_t layer_seed) const {
  if (!(scale > 0)) {
    raise<InvalidArgument>(
        {.what = str("VarianceScaling: scale is ", scale), .wanted = "more than 0"});
  }
  const Fans fans = fans_of(shape);
  const double fan = mode.is("fan_in")    ? fans.in
                     : mode.is("fan_out") ? fans.out
                                          : (fans.in + fans.out) / 2;
  const double spread = scale / std::max(1.0, fan);
  const uint64_t drawn = seed ? static_cast<uint64_t>(*seed) : layer_seed;
  if (distribution.is("uniform")) {
    const double limit = std::sqrt(3 * spread);
    return host_uniform(shape, -limit, limit, drawn);
  }
  if (distribution.is("untruncated_normal")) return host_normal(shape, 0, std::sqrt(spread), drawn);
  // The standard deviation of a standard normal cut at two: cutting must not shrink the variance.
  constexpr double cut_stddev = 0.87962566103423978;
  return host_truncated_normal(shape, 0, std::sqrt(spread) / cut_stddev, drawn);
}

}  // namespace systolic::inline v0
