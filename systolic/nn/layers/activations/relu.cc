#include "systolic/nn/layers/activations/relu.h"

#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor ReLU::call(const Tensor& x, CallContext&) const {
  if (threshold == 0 && negative_slope == 0) {
    return max_value ? minimum(systolic::relu(x), *max_value) : systolic::relu(x);
  }
  const Tensor above = max_value ? minimum(x, *max_value) : x;
  return where(x > threshold, above, negative_slope * (x - threshold));
}

SYSTOLIC_DEFINE_LAYER(ReLU)

}  // namespace systolic::inline v0
