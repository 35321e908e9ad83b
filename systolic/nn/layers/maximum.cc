#include "systolic/nn/layers/maximum.h"

#include "systolic/nn/layers/define_layer.h"
#include "systolic/nn/layers/merge.h"

namespace systolic::inline v0 {

Tensor Maximum::call(const std::vector<Tensor>& xs, CallContext&) const {
  return merged(xs, systolic::maximum);
}

SYSTOLIC_DEFINE_LAYER(Maximum)

}  // namespace systolic::inline v0
