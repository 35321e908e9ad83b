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

  template <class Self = CategoricalCrossentropy>
  static constexpr auto fields() {
    return std::tuple(field("from_logits", &Self::from_logits),
                      field("label_smoothing", &Self::label_smoothing), field("axis", &Self::axis),
                      field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

// One f32 loss for each example: the shape without the axis of the classes.
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                CrossentropyOptions options = {});

}  // namespace systolic::inline v0
