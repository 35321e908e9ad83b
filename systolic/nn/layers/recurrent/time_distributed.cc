#include "systolic/nn/layers/recurrent/time_distributed.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor TimeDistributed::call(const Tensor& x, CallContext& context) const {
  check_min_rank(x, 3, "[batch, steps, ..., features]");
  const int64_t steps = x.shape()[1];
  if (steps < 1) {
    raise<InvalidArgument>(
        {.what = str("a sequence of 0 steps ", x.shape()), .wanted = "one step or more"});
  }
  std::vector<Tensor> results;
  for (int64_t step = 0; step < steps; ++step) {
    const std::vector<Tensor> y = context.call(layer->layer(), {x[{all, step}]}, false);
    if (y.size() != 1) {
      raise<InvalidArgument>(
          {.what = str("the layer gives ", y.size(), " outputs at each step"), .wanted = "one"});
    }
    results.push_back(y[0]);
  }
  return stack(results, 1);
}

KerasForm TimeDistributed::keras_form() { return {.inside = {{"*", "layer"}}}; }

SYSTOLIC_DEFINE_LAYER(TimeDistributed)

}  // namespace systolic::inline v0
