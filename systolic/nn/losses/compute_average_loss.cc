#include "systolic/nn/losses/compute_average_loss.h"

#include "systolic/base/error.h"
#include "systolic/nn/losses/reduction.h"
#include "systolic/trace/replica_context.h"

namespace systolic::inline v0 {

Tensor compute_average_loss(const Tensor& losses, AverageLossOptions options,
                            SourceLocation location) {
  if (losses.rank() == 0) {
    raise<InvalidArgument>({.what = "compute_average_loss of a scalar",
                            .wanted = "one loss for each example: [batch, ...]",
                            .hint = "use the function form of the loss, or reduction \"none\"",
                            .location = location});
  }
  const ReplicaContext& context = replica_context();
  const int64_t cores = context.per_core ? context.replicas : 1;
  const int64_t batch = options.global_batch_size.value_or(losses.shape()[0] * cores);
  if (batch < 1) {
    raise<InvalidArgument>(
        {.what = str("global_batch_size is ", batch), .wanted = "1 or more", .location = location});
  }
  const Tensor total = reduce_losses(losses, "sum", {.sample_weight = options.sample_weight});
  return total / static_cast<double>(batch);
}

}  // namespace systolic::inline v0
