#include "systolic/nn/layers/regularization/gaussian_noise.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/noise.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"

namespace systolic::inline v0 {

Tensor GaussianNoise::call(const Tensor& x, CallContext& context) const {
  if (!context.training() || stddev.get() == 0) return x;
  const RandomOptions options{.dtype = x.dtype(), .key = noise_key(context, seed)};
  return x + random_normal(x.shape(), 0, stddev, options);
}

SYSTOLIC_DEFINE_LAYER(GaussianNoise)

}  // namespace systolic::inline v0
