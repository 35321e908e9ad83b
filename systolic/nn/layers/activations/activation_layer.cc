#include "systolic/nn/layers/activations/activation_layer.h"

#include "systolic/nn/define_layer.h"

namespace systolic::inline v0 {

Tensor ActivationLayer::call(const Tensor& x, CallContext&) const { return activation(x); }

SYSTOLIC_DEFINE_LAYER(ActivationLayer)

}  // namespace systolic::inline v0
