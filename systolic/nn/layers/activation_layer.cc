#include "systolic/nn/layers/activation_layer.h"

#include "systolic/nn/layers/define_layer.h"

namespace systolic::inline v0 {

Tensor ActivationLayer::call(const Tensor& x, CallContext&) const { return activation(x); }

SYSTOLIC_DEFINE_LAYER(ActivationLayer)

}  // namespace systolic::inline v0
