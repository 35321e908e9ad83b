// Cross-entropy between class probabilities, usually one-hot, and predictions
// (keras.losses.CategoricalCrossentropy). Both [batch, ..., classes]; integer labels belong to
// SparseCategoricalCrossentropy.
#pragma once

#include "systolic/nn/losses/crossentropy_options.h"
#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct CategoricalCrossentropy {
  static constexpr const char* kind = "CategoricalCrossentropy";
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "categorical_crossentropy";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }
};

// One f32 loss for each example: the shape without the axis of the classes.
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                CrossentropyOptions options = {});

}  // namespace systolic::inline v0
