#include "systolic/nn/same_rank.h"

#include <algorithm>

#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor with_axes(Tensor x, int rank) {
  while (x.rank() < rank) x = expand_dims(x, -1);
  return x;
}

std::pair<Tensor, Tensor> to_same_rank(const Tensor& a, const Tensor& b) {
  if (a.rank() == b.rank() + 1 && a.shape()[-1] == 1) {
    if (b.rank() == 1) return {a, expand_dims(b, -1)};
    return {squeeze(a, {-1}), b};
  }
  if (b.rank() == a.rank() + 1 && b.shape()[-1] == 1) {
    if (a.rank() == 1) return {expand_dims(a, -1), b};
    return {a, squeeze(b, {-1})};
  }
  return {a, b};
}

std::pair<Tensor, Tensor> comparable(const Tensor& labels, const Tensor& predictions) {
  const auto [y_true, y_pred] = to_same_rank(labels, predictions);
  return {cast(y_true, DType::f32), cast(y_pred, DType::f32)};
}

Tensor weights_like(Tensor weights, const Shape& shape) {
  while (weights.rank() > shape.rank() && weights.shape()[-1] == 1)
    weights = squeeze(weights, {-1});
  return broadcast_to(with_axes(weights, shape.rank()), shape);
}

Tensor labels_of_steps(const Tensor& labels, const Tensor& predictions,
                       const std::optional<Tensor>& step_mask) {
  const bool of_steps = step_mask && labels.shape() == step_mask->shape() &&
                        predictions.shape() == labels.shape().with_inserted(labels.rank(), 1);
  return of_steps ? reshape(labels, predictions.shape()) : labels;
}

std::optional<Tensor> both_masks(const std::optional<Tensor>& a, const std::optional<Tensor>& b) {
  if (!a || !b) return a ? a : b;
  const int rank = std::max(a->rank(), b->rank());
  return logical_and(with_axes(*a, rank), with_axes(*b, rank));
}

}  // namespace systolic::inline v0
