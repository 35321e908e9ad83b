#include "systolic/nn/metrics/mean_state.h"

#include <tuple>

#include "systolic/base/error.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

Tensor mean_behind(const Tensor& x, int rank) {
  if (x.rank() <= rank) return x;
  std::vector<int> axes;
  for (int axis = rank; axis < x.rank(); ++axis) axes.push_back(axis);
  return mean(x, {.axes = axes});
}

}  // namespace

SampleValues samplewise(const Tensor& values, const MetricOptions& options) {
  Tensor wide = cast(values, DType::f32);
  // One number for a whole batch leaves no row out: such a batch is not padded.
  const bool of_batch = wide.rank() == 0 && options.sample_weight.rank() > 0;
  if (of_batch || !options.sample_weight) return {mean_behind(wide, 1), {}};
  Tensor weight = cast(*options.sample_weight, DType::f32);
  std::tie(wide, weight) = to_same_rank(wide, weight);
  const int rank = weight.rank();
  const int64_t given = wide.rank() == 0 ? 1 : wide.shape()[0];
  const int64_t wanted = weight.rank() == 0 ? given : weight.shape()[0];
  if (given != 1 && given != wanted) {
    raise<InvalidArgument>({.what = str("its values have shape ", values.shape()),
                            .wanted = str("one for each of ", wanted, " samples")});
  }
  wide = mean_behind(wide, rank);
  weight = broadcast_to(weight, wide.shape());
  // What has no weight may be NaN: a loss of a label that is none.
  const Tensor weighed = where(weight != 0, wide * weight, 0.0);
  return {mean_behind(weighed, 1), mean_behind(weight, 1)};
}

void add_to_mean(MetricState& state, const Tensor& values, const MetricOptions& options) {
  const SampleValues samples = samplewise(values, options);
  const float count =
      samples.values.rank() == 0 ? 1 : static_cast<float>(samples.values.shape()[0]);
  state.add("total", sum(samples.values));
  state.add("count", samples.weight ? sum(*samples.weight) : constant(count));
}

Tensor mean_result(MetricState& state) {
  return divide_no_nan(state.total("total").value(), state.total("count").value());
}

}  // namespace systolic::inline v0
