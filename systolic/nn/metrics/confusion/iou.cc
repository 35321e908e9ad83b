#include "systolic/nn/metrics/confusion/iou.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/metrics/confusion/class_rows.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace internal {
namespace {

constexpr const char* matrix_name = "total_confusion_matrix";

Tensor classes_of(const Tensor& x, std::optional<int> axis) {
  return axis ? argmax(x, checked_axis("axis", *axis, x.rank())) : cast(x, DType::i32);
}

void check_targets(const std::vector<int64_t>& targets, int64_t classes, const std::string& name) {
  for (const int64_t target : targets) {
    if (target >= 0 && target < classes) continue;
    raise<InvalidArgument>({.what = str(name, ": target_class_ids has ", target),
                            .wanted = str("classes from 0 to ", classes - 1)});
  }
}

}  // namespace

void update_confusion_matrix(const IoUCount& count, const std::string& name, MetricState& state,
                             const Tensor& y_true, const Tensor& y_pred,
                             const MetricOptions& options) {
  if (count.num_classes < 1) {
    raise<InvalidArgument>(
        {.what = str(name, ": num_classes is ", count.num_classes), .wanted = "1 or more"});
  }
  const Tensor labels = classes_of(y_true, count.labels_axis);
  const Tensor said = classes_of(y_pred, count.predictions_axis);
  if (labels.size() != said.size()) {
    raise<InvalidArgument>(
        {.what =
             str(name, ": labels have shape ", y_true.shape(), ", predictions ", y_pred.shape()),
         .wanted = "a class of each label and of each prediction, as many of either",
         .hint = "scores of each class want sparse_y_pred = false"});
  }
  Tensor rows = one_hot_rows(labels, count.num_classes) * weight_column(options, labels.shape());
  if (count.ignore_class) {
    const Tensor counts =
        not_equal(reshape(labels, {labels.size(), 1}), static_cast<int32_t>(*count.ignore_class));
    rows = rows * cast(counts, DType::f32);
  }
  state.add(matrix_name,
            matmul(rows, one_hot_rows(said, count.num_classes), {.transpose_a = true}));
}

Tensor mean_iou(int64_t num_classes, const std::vector<int64_t>& targets, const std::string& name,
                MetricState& state) {
  check_targets(targets, num_classes, name);
  const Tensor matrix = state.total(matrix_name, {num_classes, num_classes}).value();
  const Tensor both = sum(matrix * eye(num_classes, matrix.dtype()), {.axis = 0});
  const Tensor either = sum(matrix, {.axis = 0}) + sum(matrix, {.axis = 1}) - both;
  Tensor asked = cast(either > 1e-9, DType::f32);
  if (!targets.empty()) {
    std::vector<double> times(static_cast<size_t>(num_classes), 0);
    for (const int64_t target : targets) times[static_cast<size_t>(target)] += 1;
    asked = asked * constant(Literal::from(times, {num_classes}).convert(DType::f32));
  }
  return divide_no_nan(sum(asked * divide_no_nan(both, either)), sum(asked));
}

}  // namespace internal

namespace {

std::optional<int> axis_of_scores(bool is_sparse, int axis) {
  return is_sparse ? std::nullopt : std::optional<int>(axis);
}

}  // namespace

void IoU::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                 const MetricOptions& options) const {
  internal::update_confusion_matrix({num_classes, ignore_class, axis_of_scores(sparse_y_true, axis),
                                     axis_of_scores(sparse_y_pred, axis)},
                                    name, state, y_true, y_pred, options);
}
Tensor IoU::result(MetricState& state) const {
  return internal::mean_iou(num_classes, target_class_ids, name, state);
}

void MeanIoU::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                     const MetricOptions& options) const {
  internal::update_confusion_matrix({num_classes, ignore_class, axis_of_scores(sparse_y_true, axis),
                                     axis_of_scores(sparse_y_pred, axis)},
                                    name, state, y_true, y_pred, options);
}
Tensor MeanIoU::result(MetricState& state) const {
  return internal::mean_iou(num_classes, {}, name, state);
}

void OneHotIoU::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                       const MetricOptions& options) const {
  internal::update_confusion_matrix(
      {num_classes, ignore_class, axis, axis_of_scores(sparse_y_pred, axis)}, name, state, y_true,
      y_pred, options);
}
Tensor OneHotIoU::result(MetricState& state) const {
  return internal::mean_iou(num_classes, target_class_ids, name, state);
}

void OneHotMeanIoU::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                           const MetricOptions& options) const {
  internal::update_confusion_matrix(
      {num_classes, ignore_class, axis, axis_of_scores(sparse_y_pred, axis)}, name, state, y_true,
      y_pred, options);
}
Tensor OneHotMeanIoU::result(MetricState& state) const {
  return internal::mean_iou(num_classes, {}, name, state);
}

void BinaryIoU::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                       const MetricOptions& options) const {
  const Tensor said = cast(cast(y_pred, DType::f32) >= threshold, DType::i32);
  internal::update_confusion_matrix({.num_classes = 2}, name, state, y_true, said, options);
}
Tensor BinaryIoU::result(MetricState& state) const {
  return internal::mean_iou(2, target_class_ids, name, state);
}

}  // namespace systolic::inline v0
