#include "systolic/nn/metrics/confusion/matthews_correlation.h"

#include "systolic/base/error.h"
#include "systolic/nn/metrics/confusion/class_rows.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The classes that the predictions say, one for each label.
Tensor said_classes(const MatthewsCorrelation& metric, const Tensor& y_true, const Tensor& y_pred) {
  const int64_t classes = metric.num_classes;
  if (y_pred.rank() > 1 && y_pred.shape()[-1] == classes &&
      y_pred.size() == y_true.size() * classes) {
    return argmax(y_pred);
  }
  if (classes == 2 && y_pred.size() == y_true.size())
    return cast(greater(cast(y_pred, DType::f32), metric.threshold), DType::i32);
  raise<InvalidArgument>(
      {.what = str(metric.name, ": labels have shape ", y_true.shape(), ", predictions ",
                   y_pred.shape(), ", num_classes is ", classes),
       .wanted = "predictions [batch, ..., num_classes], or for two classes in the labels' shape"});
}

}  // namespace

void MatthewsCorrelation::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                                 const MetricOptions& options) const {
  if (num_classes < 2) {
    raise<InvalidArgument>(
        {.what = str(name, ": num_classes is ", num_classes), .wanted = "2 or more"});
  }
  const Tensor is = one_hot_rows(y_true, num_classes);
  const Tensor said = one_hot_rows(said_classes(*this, y_true, y_pred), num_classes);
  const Tensor weight =
      weight_column(options, y_true.shape()) * sum(is, {.axis = 1, .keepdims = true});
  const auto total = [&](const Tensor& rows) { return sum(weight * rows, {.axis = 0}); };
  state.add("labels", total(is));
  state.add("predictions", total(said));
  state.add("right", total(is * said));
}

// With the shares t of each class among the labels, p among the predictions and r of those that
// are right: (sum r - sum p t) / sqrt((1 - sum p^2) (1 - sum t^2)).
Tensor MatthewsCorrelation::result(MetricState& state) const {
  const auto total = [&](const char* which) { return state.total(which, {num_classes}).value(); };
  const Tensor labels = total("labels");
  const Tensor all = sum(labels);
  const Tensor is = divide_no_nan(labels, all), said = divide_no_nan(total("predictions"), all);
  const Tensor right = divide_no_nan(sum(total("right")), all);
  const Tensor spread = (1.0 - sum(said * said)) * (1.0 - sum(is * is));
  return divide_no_nan(right - sum(is * said), sqrt(maximum(spread, 0.0)));
}

}  // namespace systolic::inline v0
