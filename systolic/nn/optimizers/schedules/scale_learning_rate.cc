#include "systolic/nn/optimizers/schedules/scale_learning_rate.h"

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/schedules/number_check.h"

namespace systolic::inline v0 {

double scale_learning_rate(double rate, int64_t base_batch, int64_t batch,
                           SourceLocation location) {
  if (base_batch < 1 || batch < 1) {
    raise<InvalidArgument>(
        {.what = str("scale_learning_rate from a batch of ", base_batch, " to one of ", batch),
         .wanted = "batches of 1 sample or more",
         .location = location});
  }
  check_learning_rate("scale_learning_rate", "rate", rate, location);
  return rate * static_cast<double>(batch) / static_cast<double>(base_batch);
}

}  // namespace systolic::inline v0
