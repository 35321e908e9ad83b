#include "systolic/nn/losses/hinge_losses.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

// 1 - y p where that is more than 0; labels that are all 0 or 1 become -1 and 1.
Tensor missing_margin(const Tensor& labels, const Tensor& scores) {
  const Tensor is_binary = all(logical_or(equal(labels, 0.0), equal(labels, 1.0)));
  const Tensor signs = where(is_binary, 2.0 * labels - 1.0, labels);
  return maximum(1.0 - signs * scores, 0.0);
}

}  // namespace

Tensor hinge(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "hinge");
  return mean_of_last(missing_margin(labels, scores));
}

Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "squared_hinge");
  return mean_of_last(square(missing_margin(labels, scores)));
}

Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "categorical_hinge");
  const Tensor right = sum(labels * scores, {.axis = -1});
  const Tensor wrong = max((1.0 - labels) * scores, {.axis = -1});
  return maximum(wrong - right + 1.0, 0.0);
}

}  // namespace systolic::inline v0
