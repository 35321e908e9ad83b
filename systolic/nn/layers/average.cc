#include "systolic/nn/layers/average.h"

#include "systolic/nn/layers/define_layer.h"
#include "systolic/nn/layers/merge.h"

namespace systolic::inline v0 {

Tensor Average::call(const std::vector<Tensor>& xs, CallContext&) const {
  return merged(xs, add) / static_cast<double>(xs.size());
}

SYSTOLIC_DEFINE_LAYER(Average)

}  // namespace systolic::inline v0
