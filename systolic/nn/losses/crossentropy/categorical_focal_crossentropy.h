// Categorical cross-entropy in which examples that are right already count little (keras.losses.
// CategoricalFocalCrossentropy; Lin et al. 2018): alpha * (1 - p)^gamma * -y log(p), summed over
// the classes along `axis`. One-hot labels; [batch, ..., classes] -> [batch, ...].
//
//   .loss = CategoricalFocalCrossentropy{.alpha = {0.25, 0.5, 0.25}, .from_logits = true}
#pragma once

#include "systolic/nn/losses/crossentropy/class_factors.h"
#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct CategoricalFocalCrossentropy {
  static constexpr const char* kind = "CategoricalFocalCrossentropy";
  ClassFactors alpha = 0.25;  // for all classes, or one for each along the last axis
  double gamma = 2.0;
  bool from_logits = false;  // predictions go through a softmax first
  double label_smoothing = 0.0;
  int axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "categorical_focal_crossentropy";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = CategoricalFocalCrossentropy>
  static constexpr auto fields() {
    return std::tuple(field("alpha", &Self::alpha), field("gamma", &Self::gamma),
                      field("from_logits", &Self::from_logits),
                      field("label_smoothing", &Self::label_smoothing), field("axis", &Self::axis),
                      field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

}  // namespace systolic::inline v0
