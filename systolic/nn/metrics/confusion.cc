#include "systolic/nn/metrics/confusion.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// [n]: the weight of each element.
Tensor flat_weight(const MetricOptions& options, const Shape& shape) {
  if (!options.sample_weight) return ones({shape.elements()});
  Tensor weight = cast(*options.sample_weight, DType::f32);
  while (weight.rank() < shape.rank()) weight = expand_dims(weight, -1);
  return reshape(broadcast_to(weight, shape), {shape.elements()});
}

}  // namespace

Confusion count_confusion(const Tensor& y_true, const Tensor& y_pred, const MetricOptions& options,
                          Operand thresholds, std::string_view metric) {
  const auto [labels, scores] = float_pair(y_true, y_pred, metric);
  const Tensor weight = flat_weight(options, scores.shape());
  const Tensor is_one = cast(not_equal(reshape(labels, {labels.size()}), 0.0), DType::f32);
  // [n], or [thresholds, n].
  const Tensor said = cast(greater(reshape(scores, {scores.size()}), thresholds), DType::f32);
  const Tensor positives = weight * is_one, negatives = weight * (1 - is_one);
  const auto total = [](const Tensor& x) { return sum(x, {.axes = {-1}}); };
  return {.true_positives = total(said * positives),
          .false_positives = total(said * negatives),
          .true_negatives = total((1 - said) * negatives),
          .false_negatives = total((1 - said) * positives)};
}

}  // namespace systolic::inline v0
