#include "systolic/nn/layers/merging/add.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"
#include "systolic/nn/step_mask.h"

namespace systolic::inline v0 {

Tensor Add::call(const std::vector<Tensor>& xs, CallContext&) const {
  return masked_where_all_are(merged(xs, systolic::add), xs);
}

SYSTOLIC_DEFINE_LAYER(Add)

}  // namespace systolic::inline v0
