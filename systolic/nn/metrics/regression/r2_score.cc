#include "systolic/nn/metrics/regression/r2_score.h"

#include "systolic/base/error.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

void R2Score::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                     const MetricOptions& options) const {
  if (num_regressors < 0) {
    raise<InvalidArgument>(
        {.what = str(name, ": num_regressors is ", num_regressors), .wanted = "0 or more"});
  }
  const auto [labels, scores] = float_pair(y_true, y_pred, name);
  if (labels.rank() != 2) {
    raise<InvalidArgument>(
        {.what = str(name, ": predictions have shape ", y_pred.shape()), .wanted = "[batch, n]"});
  }
  Tensor weight = ones(labels.shape());
  if (options.sample_weight)
    weight = broadcast_to(with_axes(cast(*options.sample_weight, DType::f32), 2), labels.shape());
  const auto add = [&](const char* which, const Tensor& x) {
    state.add(which, sum(weight * x, {.axis = 0}));
  };
  add("squared_sum", square(labels));
  add("sum", labels);
  add("residual", square(labels - scores));
  add("count", ones(labels.shape()));
  // Rows that only pad a batch weigh nothing and are not samples.
  const Tensor counted = cast(not_equal(weight, 0.0), DType::f32);
  state.add("num_samples",
            options.sample_weight ? sum(counted) : constant(static_cast<float>(labels.size())));
}

Tensor R2Score::result(MetricState& state) const {
  const std::optional<Variable> found = state.find("sum");
  if (!found) return constant(0.f);
  const Shape shape = found->shape();
  const auto total = [&](const char* which) { return state.total(which, shape).value(); };
  const Tensor sums = total("sum");
  const Tensor spread = total("squared_sum") - sums * (sums / total("count"));
  const Tensor raw = 1.0 - total("residual") / spread;
  const Tensor each = where(equal(abs(raw), std::numeric_limits<double>::infinity()), 0.0, raw);
  Tensor score = class_aggregation.is("uniform_average") ? mean(each)
                 : class_aggregation.is("variance_weighted_average")
                     ? sum(spread * each) / sum(spread)
                     : each;
  if (num_regressors == 0) return score;
  const Tensor samples = state.total("num_samples").value();
  const Tensor room = samples - static_cast<double>(num_regressors) - 1.0;
  const Tensor enough = room > 0.0;
  const Tensor adjusted = 1.0 - (1.0 - score) * (samples - 1.0) / where(enough, room, 1.0);
  return where(enough, adjusted, score);
}

}  // namespace systolic::inline v0
