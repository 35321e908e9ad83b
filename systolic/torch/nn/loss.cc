#include "systolic/torch/nn/loss.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {
namespace {

Tensor folded(const Tensor& losses, Reduction reduction, At at) {
  switch (reduction) {
    case Reduction::mean:
      return losses.mean({}, at);
    case Reduction::sum:
      return losses.sum({}, at);
    case Reduction::none:
      return losses;
  }
  return losses;
}

void check_equal_shapes(const char* loss, const Tensor& input, const Tensor& target, At at) {
  if (input.shape() == target.shape()) return;
  raise<InvalidArgument>({.what = str(loss, " of an input of shape ", input.shape(),
                                      " and a target of shape ", target.shape()),
                          .wanted = "equal shapes",
                          .hint = "target.view({-1, 1}), or input.squeeze(-1)",
                          .location = at});
}

}  // namespace

Tensor MSELoss::operator()(const Tensor& input, const Tensor& target, At at) const {
  check_equal_shapes("MSELoss", input, target, at);
  return folded(square(Operand(input, at) - Operand(target, at)), options_.reduction, at);
}

Tensor BCEWithLogitsLoss::operator()(const Tensor& input, const Tensor& target, At at) const {
  check_equal_shapes("BCEWithLogitsLoss", input, target, at);
  const Operand x(input, at), y(target, at);
  // log(1 + e^-x) without overflow, times the weight of positive targets.
  const systolic::Tensor tail = softplus(-x);
  systolic::Tensor losses = (1 - y) * x;
  losses =
      options_.pos_weight ? losses + ((*options_.pos_weight - 1) * y + 1) * tail : losses + tail;
  if (options_.weight) losses = losses * *options_.weight;
  return folded(losses, options_.reduction, at);
}

namespace {

// The classes as the last axis: [batch, classes, d1, ...] to [batch, d1, ..., classes].
Tensor classes_last(const Tensor& input, At at) {
  std::vector<int> order;
  for (int i = 0; i < input.rank(); ++i) {
    if (i != 1 || input.rank() == 1) order.push_back(i);
  }
  if (input.rank() > 1) order.push_back(1);
  return input.permute(std::move(order), at);
}

void check_targets(const Tensor& logits, const Tensor& target, int64_t ignored, At at) {
  const std::vector<int64_t> sizes = logits.shape().to_vector();
  const Shape wanted(std::vector<int64_t>(sizes.begin(), sizes.end() - 1));
  if (!is_integer(target.dtype()) || !(target.shape() == wanted)) {
    raise<InvalidArgument>({.what = str("CrossEntropyLoss with targets of shape ", target.shape(),
                                        " and type ", info(target.dtype()).name),
                            .wanted = str("integers of shape ", wanted),
                            .location = at});
  }
  if (!target.is_on_host()) return;
  const Literal values = target.literal(at);
  for (int64_t i = 0; i < values.size(); ++i) {
    const int64_t label = values.integer_at(i);
    if (label == ignored || (label >= 0 && label < sizes.back())) continue;
    raise<InvalidArgument>(
        {.what = str("target ", label, " at position ", i),
         .wanted = str("0 to ", sizes.back() - 1, ", or the ignore_index ", ignored),
         .location = at});
  }
}

}  // namespace

Tensor CrossEntropyLoss::operator()(const Tensor& input, const Tensor& target, At at) const {
  if (input.rank() == 0) {
    raise<InvalidArgument>({.what = "CrossEntropyLoss of a scalar",
                            .wanted = "logits [batch, classes, ...]",
                            .location = at});
  }
  const Tensor logits = classes_last(input, at);
  check_targets(logits, target, options_.ignore_index, at);
  const int64_t classes = logits.size(-1);
  const systolic::Tensor labels = target.to(int32, at);
  const systolic::Tensor counts = labels != options_.ignore_index;
  const systolic::Tensor safe = where(counts, labels, 0);
  const systolic::Tensor log_p = log_softmax(logits, -1, at);
  const systolic::Tensor chosen = one_hot(safe, classes, logits.dtype(), at);
  const systolic::Tensor class_weights =
      options_.weight ? systolic::Tensor(*options_.weight) : ones({classes}, logits.dtype(), at);
  const systolic::Tensor factor =
      cast(counts, logits.dtype()) * sum(chosen * class_weights, {.axis = -1}, at);
  systolic::Tensor losses = -sum(chosen * log_p, {.axis = -1}, at) * factor;
  if (options_.label_smoothing != 0) {
    const systolic::Tensor spread =
        -sum(log_p * class_weights, {.axis = -1}, at) * cast(counts, logits.dtype());
    const double share = options_.label_smoothing;
    losses = (1 - share) * losses + (share / static_cast<double>(classes)) * spread;
  }
  if (options_.reduction != Reduction::mean) return folded(losses, options_.reduction, at);
  return sum(losses, {}, at) / sum(factor, {}, at);
}

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
