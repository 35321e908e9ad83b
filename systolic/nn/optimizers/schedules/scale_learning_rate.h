// The learning rate for another batch size (Goyal et al. 2017, "Accurate, Large Minibatch SGD"; the
// TPU guides' rule of thumb).
#pragma once

#include <cstdint>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// rate * batch / base_batch. Batches below 1 and rates below 0 are an InvalidArgument.
//
//   Adam{.learning_rate = scale_learning_rate(1e-3, 128, 128 * strategy.num_replicas_in_sync())}
double scale_learning_rate(double rate, int64_t base_batch, int64_t batch,
                           SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
