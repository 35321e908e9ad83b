#include "systolic/nn/layers/merging/average.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"

namespace systolic::inline v0 {

Tensor Average::call(const std::vector<Tensor>& xs, CallContext&) const {
  return merged(xs, add) / static_cast<double>(xs.size());
}

SYSTOLIC_DEFINE_LAYER(Average)

}  // namespace systolic::inline v0
