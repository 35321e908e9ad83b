#include "systolic/nn/layers/regularization/gaussian_dropout.h"

#include <cmath>

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/noise.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"

namespace systolic::inline v0 {

Tensor GaussianDropout::call(const Tensor& x, CallContext& context) const {
  check_rate(rate, /*with_1=*/false);
  if (!context.training() || rate == 0) return x;
  const RandomOptions options{.dtype = x.dtype(), .key = noise_key(context, seed)};
  return x * random_normal(x.shape(), 1, std::sqrt(rate / (1 - rate)), options);
}

SYSTOLIC_DEFINE_LAYER(GaussianDropout)

}  // namespace systolic::inline v0
