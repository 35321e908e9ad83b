#include "systolic/nn/losses/crossentropy/binary_crossentropy.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/losses/logits_check.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

// -y log(sigmoid(x)) - (1 - y) log(1 - sigmoid(x)).
Tensor of_logits(const Tensor& labels, const Tensor& logits) {
  return softplus(logits) - logits * labels;
}

Tensor of_probabilities(const Tensor& labels, const Tensor& probabilities) {
  const Tensor p = clip(probabilities, crossentropy_epsilon, 1 - crossentropy_epsilon);
  return -(labels * log(p) + (1 - labels) * log(1 - p));
}

}  // namespace

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           CrossentropyOptions options) {
  if (options.from_logits) warn_of_probabilities("binary_crossentropy", y_pred);
  if (!options.from_logits)
    warn_of_logits("binary_crossentropy", y_pred,
                   ".activation = \"sigmoid\", or from_logits = true");
  auto [labels, scores] = float_pair(y_true, y_pred, "binary_crossentropy");
  if (options.label_smoothing != 0) {
    labels = labels * (1 - options.label_smoothing) + options.label_smoothing / 2;
  }
  const Tensor losses =
      options.from_logits ? of_logits(labels, scores) : of_probabilities(labels, scores);
  if (losses.rank() == 0) return losses;
  return mean(losses, {.axis = checked_axis("axis", options.axis, losses.rank())});
}

Tensor BinaryCrossentropy::values(const Tensor& y_true, const Tensor& y_pred) const {
  return binary_crossentropy(
      y_true, y_pred,
      {.from_logits = from_logits, .label_smoothing = label_smoothing, .axis = axis});
}

}  // namespace systolic::inline v0
