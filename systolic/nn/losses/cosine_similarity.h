// How far two directions agree (keras.losses.CosineSimilarity, keras.metrics.CosineSimilarity): as
// a loss -cos of the angle between labels and predictions along `axis`, -1 where they agree; as a
// metric cos itself, which is to grow.
//
//   .loss = CosineSimilarity{}, .metrics = {CosineSimilarity{}}
//   [batch, ..., n] -> [batch, ...]. Where either is all 0, so is the loss.
//
// Other shapes, and an axis that there is not, are an InvalidArgument.
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

class MetricState;
struct MetricOptions;

struct CosineSimilarity {
  static constexpr const char* kind = "CosineSimilarity";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  int axis = -1;
  Reduction reduction = "sum_over_batch_size";  // as a loss
  std::string name = "cosine_similarity";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  // As a metric.
  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;
  Config config() const;

  template <class Self = CosineSimilarity>
  static constexpr auto fields() {
    return std::tuple(field("axis", &Self::axis), field("reduction", &Self::reduction),
                      field("name", &Self::name));
  }
};

// -cos.
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, int axis = -1);

}  // namespace systolic::inline v0
