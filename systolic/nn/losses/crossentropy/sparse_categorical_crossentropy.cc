#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"

#include <limits>

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/losses/logits_check.h"
#include "systolic/nn/one_class.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// [batch, ...] and [batch, ..., 1] alike.
Tensor without_last_one(const Tensor& labels, const Tensor& scores) {
  const bool extra = labels.rank() == scores.rank() && labels.shape()[-1] == 1;
  const Tensor result = extra ? squeeze(labels, {-1}) : labels;
  if (!(result.shape() == scores.shape().slice(0, scores.rank() - 1))) {
    raise<InvalidArgument>(
        {.what = str("sparse_categorical_crossentropy: labels have shape ", labels.shape(),
                     ", predictions ", scores.shape()),
         .wanted = str("labels of shape ", scores.shape().slice(0, scores.rank() - 1)),
         .hint = labels.shape() == scores.shape()
                     ? "one-hot labels belong to categorical_crossentropy, several classes at once "
                       "to binary_crossentropy"
                     : ""});
  }
  return result;
}

Tensor class_last(const Tensor& scores, int axis) {
  const int position = checked_axis("axis", axis, scores.rank());
  if (position == scores.rank() - 1) return scores;
  std::vector<int> order;
  for (int i = 0; i < scores.rank(); ++i) {
    if (i != position) order.push_back(i);
  }
  order.push_back(position);
  return transpose(scores, order);
}

// f32 log probabilities.
Tensor log_probabilities(const Tensor& scores, bool from_logits) {
  const Tensor wide = cast(scores, DType::f32);
  if (from_logits) return log_softmax(wide);
  const Tensor normalized = wide / sum(wide, {.axis = -1, .keepdims = true});
  return log(clip(normalized, crossentropy_epsilon, 1 - crossentropy_epsilon));
}

}  // namespace

Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                       CrossentropyOptions options) {
  if (options.from_logits) warn_of_probabilities("sparse_categorical_crossentropy", y_pred);
  if (!options.from_logits)
    warn_of_logits("sparse_categorical_crossentropy", y_pred,
                   ".activation = \"softmax\", or from_logits = true");
  const Tensor scores = class_last(y_pred, options.axis);
  warn_of_one_class("sparse_categorical_crossentropy", scores, -1, "binary_crossentropy");
  const Tensor given = without_last_one(y_true, scores);
  const Tensor labels = cast(given, DType::i32);
  const int64_t classes = scores.shape()[-1], rows = labels.size();
  const Tensor logs = log_probabilities(scores, options.from_logits);
  const Tensor flat = reshape(labels, {rows});
  const Tensor picked =
      squeeze(take_along_axis(reshape(logs, {rows, classes}), expand_dims(flat, -1)), {-1});
  const Tensor inside = logical_and(flat >= 0, flat < classes);
  const Tensor losses = where(inside, -picked, std::numeric_limits<double>::quiet_NaN());
  return reshape(losses, labels.shape());
}

Tensor SparseCategoricalCrossentropy::values(const Tensor& y_true, const Tensor& y_pred) const {
  const CrossentropyOptions options{.from_logits = from_logits, .axis = axis};
  if (!ignore_class) return sparse_categorical_crossentropy(y_true, y_pred, options);
  // The ignored class may lie outside of [0, classes), such as -1.
  const Tensor kept = *mask(y_true, y_pred);
  const Tensor labels = cast(without_last_one(y_true, class_last(y_pred, axis)), DType::i32);
  const Tensor losses = sparse_categorical_crossentropy(where(kept, labels, 0), y_pred, options);
  return where(kept, losses, 0.0);
}

std::optional<Tensor> SparseCategoricalCrossentropy::mask(const Tensor& y_true,
                                                          const Tensor& y_pred) const {
  if (!ignore_class) return {};
  return cast(without_last_one(y_true, class_last(y_pred, axis)), DType::i32) != *ignore_class;
}

}  // namespace systolic::inline v0
