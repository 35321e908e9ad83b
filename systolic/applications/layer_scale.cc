#include "systolic/applications/layer_scale.h"

#include "systolic/nn/initializers/constant.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace applications {

Tensor LayerScale::call(const Tensor& x, CallContext& context) const {
  const Variable gamma = context.add_weight("gamma", {projection_dim},
                                            {.initializer = Constant{.value = init_values}});
  return x * cast(gamma, x.dtype());
}

}  // namespace applications
}  // namespace systolic::inline v0
