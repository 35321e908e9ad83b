#include "systolic/nn/layers/activations/gelu.h"

#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor GELU::call(const Tensor& x, CallContext&) const { return systolic::gelu(x, approximate); }

SYSTOLIC_DEFINE_LAYER(GELU)

}  // namespace systolic::inline v0
