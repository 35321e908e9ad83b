#include "systolic/nn/layers/regularization/gaussian_noise.h"

#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"

namespace systolic::inline v0 {

Tensor GaussianNoise::call(const Tensor& x, CallContext& context) const {
  if (!context.training() || stddev.get() == 0) return x;
  Tensor key = context.random_key();
  if (seed) key = fold_in(key, static_cast<uint64_t>(*seed));
  return x + random_normal(x.shape(), 0, stddev, {.dtype = x.dtype(), .key = key});
}

SYSTOLIC_DEFINE_LAYER(GaussianNoise)

}  // namespace systolic::inline v0
