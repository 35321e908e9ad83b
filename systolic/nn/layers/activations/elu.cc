#include "systolic/nn/layers/activations/elu.h"

#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor ELU::call(const Tensor& x, CallContext&) const { return systolic::elu(x, alpha); }

SYSTOLIC_DEFINE_LAYER(ELU)

}  // namespace systolic::inline v0
