#include "systolic/nn/metrics/accuracy/class_match.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

Tensor integer_labels(const Tensor& labels, const Tensor& predictions) {
  const bool extra = labels.rank() == predictions.rank() && labels.shape()[-1] == 1;
  const Tensor plain = extra ? squeeze(labels, {-1}) : labels;
  if (!(plain.shape() == predictions.shape().slice(0, predictions.rank() - 1))) {
    raise<InvalidArgument>(
        {.what = str("accuracy: labels have shape ", labels.shape(), ", predictions ",
                     predictions.shape()),
         .wanted = str("labels of shape ", predictions.shape().slice(0, predictions.rank() - 1))});
  }
  return cast(plain, DType::i32);
}

}  // namespace

Tensor sparse_matches(const Tensor& labels, const Tensor& predictions) {
  return cast(equal(integer_labels(labels, predictions), argmax(predictions)), DType::f32);
}

Tensor top_k_matches(const Tensor& labels, const Tensor& predictions, int64_t k) {
  const Tensor classes = integer_labels(labels, predictions);
  const int64_t rows = classes.size(), width = predictions.shape()[-1];
  const Tensor flat = reshape(cast(predictions, DType::f32), {rows, width});
  const Tensor of_label = take_along_axis(flat, reshape(classes, {rows, 1}));
  const Tensor above = sum(cast(flat > of_label, DType::f32), {.axis = -1});
  const Tensor inside = is_finite(reshape(of_label, {rows}));
  return reshape(cast(logical_and(above < static_cast<double>(k), inside), DType::f32),
                 classes.shape());
}

}  // namespace systolic::inline v0
