// The mean over the global batch, from the losses of one core's share (tf.nn.compute_average_loss).
//
//   Tensor losses = sparse_categorical_crossentropy(labels, logits, {.from_logits = true});
//   Tensor loss = compute_average_loss(losses, {.global_batch_size = 200});
//
// Inside strategy.run this is the core's part of the mean: gradients, which apply_gradients sums
// over the cores, are then those of the whole batch's mean.
#pragma once

#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct AverageLossOptions {
  std::optional<Tensor> sample_weight = {};  // [batch], or the shape of the losses
  // Without: the length of the first axis times the number of cores.
  std::optional<int64_t> global_batch_size = {};
};
// `losses` [batch, ...], not yet reduced; a scalar is an InvalidArgument.
Tensor compute_average_loss(const Tensor& losses, AverageLossOptions options = {},
                            SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
