#include "systolic/nn/layers/merging/maximum.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"
#include "systolic/nn/step_mask.h"

namespace systolic::inline v0 {

Tensor Maximum::call(const std::vector<Tensor>& xs, CallContext&) const {
  return masked_where_all_are(merged_real_steps(xs, systolic::maximum), xs);
}

SYSTOLIC_DEFINE_LAYER(Maximum)

}  // namespace systolic::inline v0
