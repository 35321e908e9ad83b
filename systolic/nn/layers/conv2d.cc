#include "systolic/nn/layers/conv2d.h"

#include "systolic/nn/layers/convolution_call.h"
#include "systolic/nn/layers/define_layer.h"

namespace systolic::inline v0 {

Tensor Conv2D::call(const Tensor& x, CallContext& context) const {
  return call_convolution(*this, x, context, /*takes_causal=*/false);
}

SYSTOLIC_DEFINE_LAYER(Conv2D)

}  // namespace systolic::inline v0
