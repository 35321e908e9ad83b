#include "systolic/nn/losses/crossentropy/binary_focal_crossentropy.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/losses/crossentropy_options.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/losses/logits_check.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor BinaryFocalCrossentropy::values(const Tensor& y_true, const Tensor& y_pred) const {
  if (from_logits) warn_of_probabilities(kind, y_pred);
  if (!from_logits)
    warn_of_logits(kind, y_pred, ".activation = \"sigmoid\", or from_logits = true");
  auto [labels, scores] = float_pair(y_true, y_pred, kind);
  if (label_smoothing != 0) labels = labels * (1 - label_smoothing) + label_smoothing / 2;
  const Tensor p = from_logits ? sigmoid(scores) : scores;
  const Tensor inside = clip(p, crossentropy_epsilon, 1 - crossentropy_epsilon);
  const Tensor entropy = -(labels * log(inside) + (1 - labels) * log(1 - inside));
  const Tensor given = labels * p + (1 - labels) * (1 - p);
  Tensor losses = pow(1 - given, gamma) * entropy;
  if (apply_class_balancing) losses = (labels * alpha + (1 - labels) * (1 - alpha)) * losses;
  if (losses.rank() == 0) return losses;
  return mean(losses, {.axis = checked_axis("axis", axis, losses.rank())});
}

}  // namespace systolic::inline v0
