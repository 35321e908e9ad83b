// Between cross-entropy and mean absolute error, for labels of which some are wrong (keras.losses.
// CategoricalGeneralizedCrossEntropy; Zhang and Sabuncu 2018): (1 - p^q) / q, p being the
// probability of the label's class.
//
//   .loss = CategoricalGeneralizedCrossEntropy{.q = 0.7}
//   y_true integers [batch, ...], y_pred probabilities [batch, ..., classes] -> [batch, ...]
//
// q not between 0 and 1 is an InvalidArgument; so are, where the host knows them, labels that are
// no class.
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct CategoricalGeneralizedCrossEntropy {
  static constexpr const char* kind = "CategoricalGeneralizedCrossEntropy";
  double q = 0.5;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "categorical_generalized_cross_entropy";

  static std::optional<ClassLabels> class_labels() { return ClassLabels{}; }
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = CategoricalGeneralizedCrossEntropy>
  static constexpr auto fields() {
    return std::tuple(field("q", &Self::q), field("reduction", &Self::reduction),
                      field("name", &Self::name));
  }
};

}  // namespace systolic::inline v0
