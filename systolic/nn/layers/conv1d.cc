#include "systolic/nn/layers/conv1d.h"

#include "systolic/nn/layers/convolution_call.h"

namespace systolic::inline v0 {

Tensor Conv1D::call(const Tensor& x, CallContext& context) const {
  return call_convolution(*this, x, context, /*takes_causal=*/true);
}

}  // namespace systolic::inline v0
