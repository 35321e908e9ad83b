#include "systolic/nn/layers/regularization/alpha_dropout.h"

#include <cmath>

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/noise.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor AlphaDropout::call(const Tensor& x, CallContext& context) const {
  check_rate(rate, /*with_1=*/false);
  if (!context.training() || rate == 0) return x;
  // What selu tends to below: -scale * alpha.
  constexpr double dropped = -1.0507009873554804934193349852946 * 1.6732632423543772848170429916717;
  const double scale = 1 / std::sqrt((1 - rate) * (1 + rate * dropped * dropped));
  const Tensor kept = kept_elements(x, rate, noise_shape, noise_key(context, seed));
  return where(kept, x, dropped) * scale - scale * dropped * rate;
}

SYSTOLIC_DEFINE_LAYER(AlphaDropout)

}  // namespace systolic::inline v0
