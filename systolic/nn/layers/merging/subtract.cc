#include "systolic/nn/layers/merging/subtract.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"
#include "systolic/nn/step_mask.h"

namespace systolic::inline v0 {

Tensor Subtract::call(const std::vector<Tensor>& xs, CallContext&) const {
  if (xs.size() != 2) {
    raise<InvalidArgument>({.what = str("called on ", xs.size(), " inputs"), .wanted = "two"});
  }
  return masked_where_all_are(merged(xs, systolic::subtract), xs);
}

SYSTOLIC_DEFINE_LAYER(Subtract)

}  // namespace systolic::inline v0
