// Intersection over union of classes, for segmentation (keras.metrics): of each class, the places
// where it is both labelled and predicted over those where it is either; the mean over the classes
// that are asked for and that occur.
//
//   .metrics = {MeanIoU{.num_classes = 21, .sparse_y_pred = false}}
//   IoU{.num_classes = 3, .target_class_ids = {1, 2}}     BinaryIoU{.threshold = 0.4}
//   OneHotIoU, OneHotMeanIoU: labels are one-hot rows, and predictions scores of each class
//
// y_true integers [batch, ...], or with sparse_y_true = false scores along `axis`, of which the
// largest counts; so y_pred. Integers that are not classes, and `ignore_class` among the labels,
// are left out. Total: the confusion matrix [classes, classes]. It is of f32, and so are the sample
// weights, which Keras rounds to integers. A target that is not a class and labels that are not as
// many as predictions are an InvalidArgument.
#pragma once

#include <optional>
#include <vector>

#include "systolic/nn/config/required.h"
#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {
namespace internal {

struct IoUCount {
  int64_t num_classes;
  std::optional<int64_t> ignore_class = {};
  std::optional<int> labels_axis = {}, predictions_axis = {};  // where they are scores
};
void update_confusion_matrix(const IoUCount& count, const std::string& name, MetricState& state,
                             const Tensor& y_true, const Tensor& y_pred,
                             const MetricOptions& options);
// Over all classes where there is no target.
Tensor mean_iou(int64_t num_classes, const std::vector<int64_t>& targets, const std::string& name,
                MetricState& state);

}  // namespace internal

struct IoU {
  static constexpr const char* kind = "IoU";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  Required<int64_t> num_classes;
  Required<std::vector<int64_t>> target_class_ids;
  std::string name = "iou";
  DType dtype = DType::f32;
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_true = true;
  bool sparse_y_pred = true;
  int axis = -1;

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = IoU>
  static constexpr auto fields() {
    return std::tuple(field("num_classes", &Self::num_classes),
                      field("target_class_ids", &Self::target_class_ids),
                      field("name", &Self::name), field("dtype", &Self::dtype),
                      field("ignore_class", &Self::ignore_class),
                      field("sparse_y_true", &Self::sparse_y_true),
                      field("sparse_y_pred", &Self::sparse_y_pred), field("axis", &Self::axis));
  }
};

struct MeanIoU {
  static constexpr const char* kind = "MeanIoU";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  Required<int64_t> num_classes;
  std::string name = "mean_iou";
  DType dtype = DType::f32;
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_true = true;
  bool sparse_y_pred = true;
  int axis = -1;

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = MeanIoU>
  static constexpr auto fields() {
    return std::tuple(field("num_classes", &Self::num_classes), field("name", &Self::name),
                      field("dtype", &Self::dtype), field("ignore_class", &Self::ignore_class),
                      field("sparse_y_true", &Self::sparse_y_true),
                      field("sparse_y_pred", &Self::sparse_y_pred), field("axis", &Self::axis));
  }
};

struct OneHotIoU {
  static constexpr const char* kind = "OneHotIoU";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  Required<int64_t> num_classes;
  Required<std::vector<int64_t>> target_class_ids;
  std::string name = "one_hot_iou";
  DType dtype = DType::f32;
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;
  int axis = -1;

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = OneHotIoU>
  static constexpr auto fields() {
    return std::tuple(field("num_classes", &Self::num_classes),
                      field("target_class_ids", &Self::target_class_ids),
                      field("name", &Self::name), field("dtype", &Self::dtype),
                      field("ignore_class", &Self::ignore_class),
                      field("sparse_y_pred", &Self::sparse_y_pred), field("axis", &Self::axis));
  }
};

struct OneHotMeanIoU {
  static constexpr const char* kind = "OneHotMeanIoU";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  Required<int64_t> num_classes;
  std::string name = "one_hot_mean_iou";
  DType dtype = DType::f32;
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;
  int axis = -1;

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = OneHotMeanIoU>
  static constexpr auto fields() {
    return std::tuple(field("num_classes", &Self::num_classes), field("name", &Self::name),
                      field("dtype", &Self::dtype), field("ignore_class", &Self::ignore_class),
                      field("sparse_y_pred", &Self::sparse_y_pred), field("axis", &Self::axis));
  }
};

// A prediction of `threshold` or more says class 1.
struct BinaryIoU {
  static constexpr const char* kind = "BinaryIoU";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  std::vector<int64_t> target_class_ids = {0, 1};
  double threshold = 0.5;
  std::string name = "binary_iou";
  DType dtype = DType::f32;

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = BinaryIoU>
  static constexpr auto fields() {
    return std::tuple(field("target_class_ids", &Self::target_class_ids),
                      field("threshold", &Self::threshold), field("name", &Self::name),
                      field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
