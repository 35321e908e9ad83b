#include "systolic/nn/losses/cosine_similarity.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, int axis) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "cosine_similarity");
  const int along = checked_axis("axis", axis, scores.rank());
  const auto direction = [&](const Tensor& x) {
    const Tensor squares = sum(square(x), {.axis = along, .keepdims = true});
    return x * rsqrt(maximum(squares, 1e-24));
  };
  return -sum(direction(labels) * direction(scores), {.axis = along});
}

Tensor CosineSimilarity::values(const Tensor& y_true, const Tensor& y_pred) const {
  return cosine_similarity(y_true, y_pred, axis);
}

}  // namespace systolic::inline v0
