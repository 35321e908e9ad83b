// The mean over the last axis of the squared difference (keras.losses.MeanSquaredError).
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct MeanSquaredError {
  static constexpr const char* kind = "MeanSquaredError";
  Reduction reduction = "sum_over_batch_size";
  std::string name = "mean_squared_error";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = MeanSquaredError>
  static constexpr auto fields() {
    return std::tuple(field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

// [batch, ..., n] -> [batch, ...].
Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred);

}  // namespace systolic::inline v0
