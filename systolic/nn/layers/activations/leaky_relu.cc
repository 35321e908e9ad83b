#include "systolic/nn/layers/activations/leaky_relu.h"

#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor LeakyReLU::call(const Tensor& x, CallContext&) const {
  return systolic::leaky_relu(x, negative_slope);
}

SYSTOLIC_DEFINE_LAYER(LeakyReLU)

}  // namespace systolic::inline v0
