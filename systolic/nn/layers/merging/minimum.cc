#include "systolic/nn/layers/merging/minimum.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"
#include "systolic/nn/step_mask.h"

namespace systolic::inline v0 {

Tensor Minimum::call(const std::vector<Tensor>& xs, CallContext&) const {
  return masked_where_all_are(merged_real_steps(xs, systolic::minimum), xs);
}

SYSTOLIC_DEFINE_LAYER(Minimum)

}  // namespace systolic::inline v0
