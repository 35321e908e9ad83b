// Bringing labels, predictions and weights to one rank as Keras does.
#pragma once

#include <optional>
#include <utility>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Where the ranks differ by one and the longer one ends in an axis of size 1, that axis is dropped
// (or, beside a rank of 1, added to the other): (y_true [n], y_pred [n, 1]) -> ([n, 1], [n, 1]).
std::pair<Tensor, Tensor> to_same_rank(const Tensor& a, const Tensor& b);

// What a function of the user's compares: both of one rank, as above, and in f32. Labels are mostly
// integers or lack the predictions' last axis of size 1, and (n,) beside (n, 1) would be broadcast
// to (n, n).
std::pair<Tensor, Tensor> comparable(const Tensor& labels, const Tensor& predictions);

// Sample weights [batch], [batch, 1] or as `shape`, as one number for each of its elements.
Tensor weights_like(Tensor weights, const Shape& shape);

// With axes of size 1 after its own until it has `rank`: [batch] beside [batch, time].
Tensor with_axes(Tensor x, int rank);

// Labels [batch, steps] beside predictions [batch, steps, 1] get that axis, too, where steps are
// masked: else a loss or metric would take its mean over them.
Tensor labels_of_steps(const Tensor& labels, const Tensor& predictions,
                       const std::optional<Tensor>& step_mask);

// What both masks leave, [batch] beside [batch, steps]; the one there is, or none.
std::optional<Tensor> both_masks(const std::optional<Tensor>& a, const std::optional<Tensor>& b);

}  // namespace systolic::inline v0
