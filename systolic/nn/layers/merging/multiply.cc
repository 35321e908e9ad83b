#include "systolic/nn/layers/merging/multiply.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"

namespace systolic::inline v0 {

Tensor Multiply::call(const std::vector<Tensor>& xs, CallContext&) const {
  return merged(xs, systolic::multiply);
}

SYSTOLIC_DEFINE_LAYER(Multiply)

}  // namespace systolic::inline v0
