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

Tensor mean_over_rest(const Tensor& x, int rank) {
  if (x.rank() <= rank) return x;
  std::vector<int> axes;
  for (int axis = rank; axis < x.rank(); ++axis) axes.push_back(axis);
  return mean(x, {.axis = axes});
}

// One value for each weight, or one of either for all.
void check_together(const Shape& given, const Tensor& values, const Tensor& weights) {
  const auto count = [](const Tensor& x) { return x.rank() == 0 ? int64_t{1} : x.shape()[0]; };
  if (count(values) == count(weights) || count(values) == 1 || count(weights) == 1) return;
  raise<InvalidArgument>(
      {.what = str("values of shape ", given, " beside sample weights of shape ", weights.shape()),
       .wanted = str("a value for each of ", count(weights), " samples")});
}

}  // namespace

SampleValues samplewise(const Tensor& values, const MetricOptions& options) {
  Tensor wide = cast(values, DType::f32);
  // One number for a whole batch leaves no row out: such a batch is not padded.
  const bool of_batch =
      wide.rank() == 0 && options.sample_weight && options.sample_weight->rank() > 0;
  if (of_batch || !options.sample_weight) return {mean_over_rest(wide, 1), {}};
  Tensor weight = cast(*options.sample_weight, DType::f32);
  std::tie(wide, weight) = to_same_rank(wide, weight);
  // One value a sample has the weight of its steps: what is masked in part counts as the rest does.
  if (wide.rank() == 1 && weight.rank() == 2 && weight.shape()[0] == wide.shape()[0])
    weight = max(weight, {.axis = 1});
  const int rank = weight.rank();
  check_together(values.shape(), wide, weight);
  wide = mean_over_rest(wide, rank);
  weight = broadcast_to(weight, wide.shape());
  // What has no weight may be NaN: a loss of a label that is none.
  const Tensor weighed = where(weight != 0, wide * weight, 0.0);
  return {mean_over_rest(weighed, 1), mean_over_rest(weight, 1)};
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
