// Cross-entropy of yes-or-no labels (keras.losses.BinaryCrossentropy): 0 or 1, or in between, one
// for each prediction. The loss of an example is the mean over the last axis.
#pragma once

#include "systolic/nn/losses/crossentropy_options.h"
#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct BinaryCrossentropy {
  static constexpr const char* kind = "BinaryCrossentropy";
  static constexpr bool labels_are_probabilities = true;
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "binary_crossentropy";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = BinaryCrossentropy>
  static constexpr auto fields() {
    return std::tuple(field("from_logits", &Self::from_logits),
                      field("label_smoothing", &Self::label_smoothing), field("axis", &Self::axis),
                      field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

// The mean over `axis`: [batch, ..., n] -> [batch, ...].
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           CrossentropyOptions options = {});

}  // namespace systolic::inline v0
