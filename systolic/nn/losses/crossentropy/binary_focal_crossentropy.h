// Binary cross-entropy in which examples that are right already count little (keras.losses.
// BinaryFocalCrossentropy; Lin et al. 2018): each element's is multiplied by (1 - p_t)^gamma, p_t
// being the probability given to the label, and with apply_class_balancing by alpha for labels of 1
// and by 1 - alpha for those of 0. The mean over `axis`: [batch, ..., n] -> [batch, ...].
//
//   .loss = BinaryFocalCrossentropy{.gamma = 3, .from_logits = true}
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct BinaryFocalCrossentropy {
  static constexpr const char* kind = "BinaryFocalCrossentropy";
  static constexpr bool labels_are_probabilities = true;
  bool apply_class_balancing = false;
  double alpha = 0.25;
  double gamma = 2.0;
  bool from_logits = false;  // predictions go through a sigmoid first
  double label_smoothing = 0.0;
  int axis = -1;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "binary_focal_crossentropy";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = BinaryFocalCrossentropy>
  static constexpr auto fields() {
    return std::tuple(field("apply_class_balancing", &Self::apply_class_balancing),
                      field("alpha", &Self::alpha), field("gamma", &Self::gamma),
                      field("from_logits", &Self::from_logits),
                      field("label_smoothing", &Self::label_smoothing), field("axis", &Self::axis),
                      field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

}  // namespace systolic::inline v0
