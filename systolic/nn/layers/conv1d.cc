#include "systolic/nn/layers/conv1d.h"

#include "systolic/nn/layers/convolution_call.h"
#include "systolic/nn/layers/define_layer.h"

namespace systolic::inline v0 {

Tensor Conv1D::call(const Tensor& x, CallContext& context) const {
  return call_convolution(*this, x, context, /*takes_causal=*/true);
}

SYSTOLIC_DEFINE_LAYER(Conv1D)

}  // namespace systolic::inline v0
