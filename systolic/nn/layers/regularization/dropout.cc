#include "systolic/nn/layers/regularization/dropout.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/noise.h"

namespace systolic::inline v0 {

Tensor Dropout::call(const Tensor& x, CallContext& context) const {
  check_rate(rate, /*with_1=*/true);
  if (!context.training() || rate == 0) return x;
  return dropped_out(x, rate, noise_shape, noise_key(context, seed));
}

SYSTOLIC_DEFINE_LAYER(Dropout)

}  // namespace systolic::inline v0
