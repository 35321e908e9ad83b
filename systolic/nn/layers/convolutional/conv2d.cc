#include "systolic/nn/layers/convolutional/conv2d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/convolutional/convolution_call.h"

namespace systolic::inline v0 {

Tensor Conv2D::call(const Tensor& x, CallContext& context) const {
  return call_convolution(*this, x, context, /*takes_causal=*/false);
}

SYSTOLIC_DEFINE_LAYER(Conv2D)

}  // namespace systolic::inline v0
