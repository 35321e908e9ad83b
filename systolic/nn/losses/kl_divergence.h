// The Kullback-Leibler divergence of two distributions over the last axis: sum y_true log(y_true /
// y_pred) (keras.losses.KLDivergence). Probabilities are kept in [1e-7, 1].
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct KLDivergence {
  static constexpr const char* kind = "KLDivergence";
  Reduction reduction = "sum_over_batch_size";
  std::string name = "kl_divergence";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = KLDivergence>
  static constexpr auto fields() {
    return std::tuple(field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

// [batch, ..., classes] -> [batch, ...].
Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred);

}  // namespace systolic::inline v0
