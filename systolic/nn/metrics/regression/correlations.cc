#include "systolic/nn/metrics/regression/correlations.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/losses/cosine_similarity.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/metrics/mean_state.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

// What is taken of each along one axis, which is kept.
struct CorrelatedPair {
  CorrelatedPair(const Tensor& y_true, const Tensor& y_pred, int given, std::string_view name) {
    std::tie(labels, scores) = float_pair(y_true, y_pred, name);
    along = {.axis = checked_axis("axis", given, scores.rank()), .keepdims = true};
  }
  Tensor mean_along(const Tensor& x) const { return mean(x, {.axis = along.axis}); }

  Tensor labels, scores;
  ReduceOptions along;
};

}  // namespace

void PearsonCorrelation::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                                const MetricOptions& options) const {
  const CorrelatedPair pair(y_true, y_pred, axis, name);
  const auto normalized = [&](const Tensor& x) {
    return (x - mean(x, pair.along)) / sqrt(variance(x, pair.along));
  };
  add_to_mean(state, pair.mean_along(normalized(pair.labels) * normalized(pair.scores)), options);
}
Tensor PearsonCorrelation::result(MetricState& state) const { return mean_result(state); }

void ConcordanceCorrelation::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                                    const MetricOptions& options) const {
  const CorrelatedPair pair(y_true, y_pred, axis, name);
  const Tensor label = mean(pair.labels, pair.along), score = mean(pair.scores, pair.along);
  const Tensor together = (pair.labels - score) * (pair.scores - score);
  const Tensor spread =
      variance(pair.labels, pair.along) + variance(pair.scores, pair.along) + square(label - score);
  add_to_mean(state, pair.mean_along(2.0 * together / (spread + 1e-7)), options);
}
Tensor ConcordanceCorrelation::result(MetricState& state) const { return mean_result(state); }

void CosineSimilarity::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                              const MetricOptions& options) const {
  add_to_mean(state, -cosine_similarity(y_true, y_pred, axis), options);
}
Tensor CosineSimilarity::result(MetricState& state) const { return mean_result(state); }

Config CosineSimilarity::config() const {
  Config values, result;
  values.set("axis", axis);
  values.set("name", name);
  result.set("class_name", kind);
  result.set("config", std::move(values));
  return result;
}

}  // namespace systolic::inline v0
