#include "systolic/nn/losses/crossentropy/categorical_crossentropy.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/losses/logits_check.h"
#include "systolic/nn/one_class.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

// For probabilities that may not quite add up to 1.
Tensor clipped_log(const Tensor& scores, int axis) {
  const Tensor normalized = scores / sum(scores, {.axis = axis, .keepdims = true});
  return log(clip(normalized, crossentropy_epsilon, 1 - crossentropy_epsilon));
}

}  // namespace

Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                CrossentropyOptions options) {
  if (options.from_logits) warn_of_probabilities("categorical_crossentropy", y_pred);
  if (!options.from_logits)
    warn_of_logits("categorical_crossentropy", y_pred,
                   ".activation = \"softmax\", or from_logits = true");
  auto [labels, scores] = float_pair(y_true, y_pred, "categorical_crossentropy");
  const int axis = checked_axis("axis", options.axis, scores.rank());
  warn_of_one_class("categorical_crossentropy", scores, axis, "binary_crossentropy");
  if (options.label_smoothing != 0) {
    const double classes = static_cast<double>(scores.shape()[axis]);
    labels = labels * (1 - options.label_smoothing) + options.label_smoothing / classes;
  }
  const Tensor logs = options.from_logits ? log_softmax(scores, axis) : clipped_log(scores, axis);
  return -sum(labels * logs, {.axis = axis});
}

Tensor CategoricalCrossentropy::values(const Tensor& y_true, const Tensor& y_pred) const {
  return categorical_crossentropy(
      y_true, y_pred,
      {.from_logits = from_logits, .label_smoothing = label_smoothing, .axis = axis});
}

}  // namespace systolic::inline v0
