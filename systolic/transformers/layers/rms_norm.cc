#include "systolic/transformers/layers/rms_norm.h"

#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor RMSNorm::call(const Tensor& x, CallContext& context) const {
  WeightOptions options{.initializer = "ones"};
  if (adds_one) options.initializer = "zeros";
  const Variable gamma = context.add_weight("gamma", {x.shape()[-1]}, options);
  const Tensor in = cast(x, DType::f32), factor = cast(gamma, DType::f32);
  const Tensor spread = mean(square(in), {.axis = -1, .keepdims = true});
  const Tensor y = in * rsqrt(spread + epsilon) * (adds_one ? factor + 1 : factor);
  return cast(y, x.dtype());
}

}  // namespace systolic::inline v0
