#include "systolic/nn/metrics/confusion/confusion.h"

#include "systolic/base/error.h"
#include "systolic/core/literal.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// What Keras puts in the place of predictions that do not count.
constexpr double below_all = -1e10;

// [n]: the weight of each element.
Tensor flat_weight(const MetricOptions& options, const Shape& shape) {
  if (!options.sample_weight) return ones({shape.elements()});
  Tensor weight = cast(*options.sample_weight, DType::f32);
  weight = with_axes(weight, shape.rank());
  return reshape(broadcast_to(weight, shape), {shape.elements()});
}

// The k largest of the last axis, the first of equal ones; below_all in the place of the others.
Tensor only_top(const Tensor& scores, int64_t k, std::string_view metric) {
  if (scores.rank() < 2 || k < 1 || k > scores.shape()[-1]) {
    raise<InvalidArgument>(
        {.what = str(metric, ": top_k is ", k, " for predictions of shape ", scores.shape()),
         .wanted = "[batch, ..., classes] with top_k from 1 to the number of classes"});
  }
  const Tensor least = expand_dims(sort(scores, -1, true)[{ellipsis, k - 1}], -1);
  const Tensor above = cast(scores > least, DType::f32);
  const Tensor level = cast(equal(scores, least), DType::f32);
  const Tensor room = static_cast<double>(k) - sum(above, {.axis = -1, .keepdims = true});
  const Tensor kept = above + level * cast(cumsum(level, -1) <= room, DType::f32);
  return where(kept > 0.0, scores, below_all);
}

Tensor place(const Tensor& x, int64_t class_id, std::string_view metric) {
  if (x.rank() < 2 || class_id < 0 || class_id >= x.shape()[-1]) {
    raise<InvalidArgument>(
        {.what = str(metric, ": class_id is ", class_id, " for predictions of shape ", x.shape()),
         .wanted = "[batch, ..., classes] and one of the classes, from 0"});
  }
  return x[{ellipsis, Slice{.begin = class_id, .end = class_id + 1}}];
}

Tensor column(const std::vector<double>& thresholds) {
  const auto count = static_cast<int64_t>(thresholds.size());
  return constant(Literal::from(thresholds, {count, 1}).convert(DType::f32));
}

}  // namespace

Confusion count_confusion(const Tensor& y_true, const Tensor& y_pred, const MetricOptions& options,
                          const Choosing& choosing, std::string_view metric) {
  auto [labels, scores] = float_pair(y_true, y_pred, metric);
  if (choosing.from_logits) scores = sigmoid(scores);
  if (choosing.top_k) scores = only_top(scores, *choosing.top_k, metric);
  if (choosing.class_id) {
    labels = place(labels, *choosing.class_id, metric);
    scores = place(scores, *choosing.class_id, metric);
  }
  const Tensor weight = flat_weight(options, scores.shape());
  const Tensor is_one = cast(not_equal(reshape(labels, {labels.size()}), 0.0), DType::f32);
  const Tensor flat = reshape(scores, {scores.size()});
  // [n], or [thresholds, n].
  const bool several = choosing.thresholds.size() > 1;
  const Tensor said = cast(several ? greater(flat, column(choosing.thresholds))
                                   : greater(flat, choosing.thresholds.at(0)),
                           DType::f32);
  const Tensor positives = weight * is_one, negatives = weight * (1 - is_one);
  const auto total = [](const Tensor& x) { return sum(x, {.axis = -1}); };
  return {.true_positives = total(said * positives),
          .false_positives = total(said * negatives),
          .true_negatives = total((1 - said) * negatives),
          .false_negatives = total((1 - said) * positives)};
}

std::vector<double> choice_thresholds(const Thresholds& given, std::optional<int64_t> top_k,
                                      std::string_view metric) {
  if (given.values().empty()) return {top_k ? below_all : 0.5};
  for (const double threshold : given.values()) {
    if (threshold >= 0 && threshold <= 1) continue;
    raise<InvalidArgument>(
        {.what = str(metric, ": a threshold of ", threshold), .wanted = "from 0 to 1"});
  }
  return given.values();
}

Shape totals_shape(const Thresholds& given) {
  if (given.values().size() < 2) return {};
  return {static_cast<int64_t>(given.values().size())};
}

}  // namespace systolic::inline v0
