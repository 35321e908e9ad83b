// How the losses of a batch become one number (Keras's `reduction`).
//
// "sum_over_batch_size" and "mean" divide the (weighted) sum by the number of losses,
// "mean_with_sample_weight" by the sum of the weights; "sum" does not divide; "none" keeps them.
#pragma once

#include <optional>

#include "systolic/nn/config/choice.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// The names that a Reduction takes.
struct ReductionNames {
  SYSTOLIC_NAMES(
      throw "reduction must be one of: sum_over_batch_size sum mean mean_with_sample_weight none")  // NOLINT
};
using Reduction = Choice<ReductionNames>;

struct LossOptions {
  // [batch], or the shape of the losses.
  std::optional<Tensor> sample_weight = {};
  // pred, [batch] or the shape of the losses: false leaves a loss out, also of the count that
  // averages divide by.
  std::optional<Tensor> mask = {};
};

// `losses` f32, as keras.losses reduces them.
Tensor reduce_losses(const Tensor& losses, Reduction reduction, const LossOptions& options);

}  // namespace systolic::inline v0
