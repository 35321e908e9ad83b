#include "systolic/nn/layers/merging/average.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"
#include "systolic/nn/step_mask.h"

namespace systolic::inline v0 {

Tensor Average::call(const std::vector<Tensor>& xs, CallContext&) const {
  return masked_where_all_are(merged(xs, add) / static_cast<double>(xs.size()), xs);
}

SYSTOLIC_DEFINE_LAYER(Average)

}  // namespace systolic::inline v0
