#include "systolic/nn/metrics/confusion/f_beta_score.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/metrics/confusion/class_rows.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

constexpr const char *right = "true_positives", *wrong = "false_positives",
                     *missed = "false_negatives";

// Keras has one for all counts and quotients; a prediction as near to 0 as the other says nothing.
constexpr double epsilon = 1e-7, nothing = 1e-9;

// [n, classes] each; the weight may be [n, 1].
struct Rows {
  Tensor is, said, weight;
};

void check(const FBetaScore& metric) {
  if (!(metric.beta > 0 && std::isfinite(metric.beta))) {
    raise<InvalidArgument>(
        {.what = str(metric.name, ": beta is ", metric.beta), .wanted = "more than 0"});
  }
  if (!metric.threshold || std::isfinite(*metric.threshold)) return;
  raise<InvalidArgument>({.what = str(metric.name, ": threshold is ", *metric.threshold),
                          .wanted = "a number: 0.5 of probabilities, 0 of logits"});
}

// Where two equal values are the largest of a row, both say yes, as in Keras.
Tensor largest(const Tensor& rows) {
  const Tensor is_largest = rows >= max(rows, {.axis = -1, .keepdims = true});
  return cast(logical_and(is_largest, abs(rows) > nothing), DType::f32);
}

Rows rows_of(const FBetaScore& metric, const Tensor& y_true, const Tensor& y_pred,
             const MetricOptions& options) {
  if (y_pred.rank() < 2 || y_pred.shape()[-1] == 0) {
    raise<InvalidArgument>({.what = str(metric.name, ": predictions have shape ", y_pred.shape()),
                            .wanted = "[batch, ..., classes]"});
  }
  const int64_t classes = y_pred.shape()[-1];
  const Shape labels = y_pred.shape().slice(0, y_pred.rank() - 1), flat{labels.elements(), classes};
  const Tensor scores = reshape(cast(y_pred, DType::f32), flat);
  const Tensor weight = weight_column(options, labels);
  const auto said = [&](const Tensor& of_largest) {
    return metric.threshold ? cast(scores > *metric.threshold, DType::f32) : of_largest;
  };
  // For a single column, labels [batch] are its zeros and ones too, as every other metric has it.
  if (y_true.shape() == y_pred.shape() || (classes == 1 && y_true.shape() == labels)) {
    const Tensor is = reshape(cast(y_true, DType::f32), flat);
    const Tensor counts = cast(is >= 0.0, DType::f32);
    return {is * counts, said(largest(scores)), weight * counts};
  }
  const bool is_column = y_true.rank() == y_pred.rank() && y_true.shape()[-1] == 1;
  if ((is_column ? y_true.shape().slice(0, labels.rank()) : y_true.shape()) == labels) {
    const Tensor is = one_hot_rows(y_true, classes);
    return {is, said(one_hot_rows(argmax(scores), classes)),
            weight * sum(is, {.axis = 1, .keepdims = true})};
  }
  raise<InvalidArgument>({.what = str(metric.name, ": labels have shape ", y_true.shape(),
                                      ", predictions ", y_pred.shape()),
                          .wanted = str("labels of shape ", labels,
                                        ", a class each, or 0 and 1 of shape ", y_pred.shape())});
}

Tensor class_one(const FBetaScore& metric, const Tensor& scores) {
  const int64_t classes = scores.size();
  if (classes <= 2) return scores[classes - 1];
  raise<InvalidArgument>(
      {.what = str(metric.name, ": average is \"binary\" and there are ", classes, " classes"),
       .wanted = "one or two",
       .hint = "\"macro\", \"micro\" and \"weighted\" are for more"});
}

}  // namespace

void FBetaScore::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                        const MetricOptions& options) const {
  check(*this);
  const auto [is, said, weight] = rows_of(*this, y_true, y_pred, options);
  const auto total = [&weight = weight](const Tensor& rows) {
    return sum(weight * rows, {.axis = 0});
  };
  state.add(right, total(said * is));
  state.add(wrong, total(said * (1.0 - is)));
  state.add(missed, total((1.0 - said) * is));
}

Tensor FBetaScore::result(MetricState& state) const {
  if (!state.find(right))
    return zeros({}, dtype);  // how many classes there are says the first update
  Tensor tp = state.find(right)->value(), fp = state.find(wrong)->value(),
         fn = state.find(missed)->value();
  const Tensor labels = tp + fn;
  const std::string_view how = average.name();
  if (how == "micro") tp = sum(tp), fp = sum(fp), fn = sum(fn);
  const Tensor precision = tp / (tp + fp + epsilon), recall = tp / (tp + fn + epsilon);
  const double weight = beta * beta;
  const Tensor scores = precision * recall / (precision * weight + recall + epsilon) * (1 + weight);
  if (how == "binary") return class_one(*this, scores);
  if (how == "macro") return mean(scores);
  if (how == "weighted") return sum(scores * labels / (sum(labels) + epsilon));
  return scores;
}

}  // namespace systolic::inline v0
