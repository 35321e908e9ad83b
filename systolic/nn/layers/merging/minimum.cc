#include "systolic/nn/layers/merging/minimum.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"

namespace systolic::inline v0 {

Tensor Minimum::call(const std::vector<Tensor>& xs, CallContext&) const {
  return merged(xs, systolic::minimum);
}

SYSTOLIC_DEFINE_LAYER(Minimum)

}  // namespace systolic::inline v0
