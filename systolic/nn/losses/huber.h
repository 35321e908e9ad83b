// Quadratic for small differences, linear beyond `delta` (keras.losses.Huber); the mean over the
// last axis.
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct Huber {
  static constexpr const char* kind = "Huber";
  double delta = 1.0;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "huber_loss";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = Huber>
  static constexpr auto fields() {
    return std::tuple(field("delta", &Self::delta), field("reduction", &Self::reduction),
                      field("name", &Self::name));
  }
};

// [batch, ..., n] -> [batch, ...].
Tensor huber(const Tensor& y_true, const Tensor& y_pred, double delta = 1.0);

}  // namespace systolic::inline v0
