// Cross-entropy between classes given as integers and predictions
// (keras.losses.SparseCategoricalCrossentropy).
//
//   y_true [batch, ...] of integers in [0, classes), also [batch, ..., 1]
//   y_pred [batch, ..., classes]
//   loss of one example: -log p[class]. A label outside [0, classes) gives NaN, as TensorFlow does
//   on accelerators.
#pragma once

#include "systolic/nn/losses/crossentropy_options.h"
#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct SparseCategoricalCrossentropy {
  static constexpr const char* kind = "SparseCategoricalCrossentropy";
  bool from_logits = false;
  // Examples of this class have loss 0 and do not count in the mean.
  std::optional<int64_t> ignore_class = {};
  int axis = -1;  // of the classes in y_pred
  Reduction reduction = "sum_over_batch_size";
  std::string name = "sparse_categorical_crossentropy";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  std::optional<Tensor> mask(const Tensor& y_true, const Tensor& y_pred) const;
  ClassLabels class_labels() const { return {axis, ignore_class}; }
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = SparseCategoricalCrossentropy>
  static constexpr auto fields() {
    return std::tuple(field("from_logits", &Self::from_logits),
                      field("ignore_class", &Self::ignore_class), field("axis", &Self::axis),
                      field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

// One f32 loss for each example: [batch, ...].
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                       CrossentropyOptions options = {});

}  // namespace systolic::inline v0
