#include "systolic/nn/layers/regularization/spatial_dropout.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/noise.h"
#include "systolic/nn/layers/window.h"

namespace systolic::inline v0 {

template <int rank>
Tensor SpatialDropout<rank>::call(const Tensor& x, CallContext& context) const {
  check_rank(x, rank + 2, spatial_axes(rank));
  check_rate(rate, /*with_1=*/true);
  if (!context.training() || rate == 0) return x;
  std::vector<int64_t> noise_shape(rank + 2, 1);
  noise_shape.front() = noise_shape.back() = -1;
  return dropped_out(x, rate, noise_shape, noise_key(context, seed));
}

SYSTOLIC_DEFINE_LAYER(SpatialDropout1D)
SYSTOLIC_DEFINE_LAYER(SpatialDropout2D)
SYSTOLIC_DEFINE_LAYER(SpatialDropout3D)

}  // namespace systolic::inline v0
