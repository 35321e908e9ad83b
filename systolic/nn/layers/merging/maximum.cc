#include "systolic/nn/layers/merging/maximum.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"

namespace systolic::inline v0 {

Tensor Maximum::call(const std::vector<Tensor>& xs, CallContext&) const {
  return merged(xs, systolic::maximum);
}

SYSTOLIC_DEFINE_LAYER(Maximum)

}  // namespace systolic::inline v0
