#include "systolic/nn/metrics/reduction/sum.h"

#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

void Sum::update(MetricState& state, const Tensor& values, const MetricOptions& options) const {
  Tensor weighted = cast(values, DType::f32);
  if (options.sample_weight) {
    Tensor weight = cast(*options.sample_weight, DType::f32);
    while (weight.rank() > 0 && weight.rank() < weighted.rank()) weight = expand_dims(weight, -1);
    weighted = weighted * weight;
  }
  state.add("total", systolic::sum(weighted));
}

Tensor Sum::result(MetricState& state) const { return state.total("total").value(); }

}  // namespace systolic::inline v0
