#include "systolic/nn/layers/convolutional/conv1d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/convolutional/convolution_call.h"

namespace systolic::inline v0 {

Tensor Conv1D::call(const Tensor& x, CallContext& context) const {
  return call_convolution(*this, x, context, /*takes_causal=*/true);
}

SYSTOLIC_DEFINE_LAYER(Conv1D)

}  // namespace systolic::inline v0
