#include "systolic/nn/optimizers/schedules/number_check.h"

#include <cmath>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

void check_share(std::string_view owner, std::string_view field, double value) {
  if (value >= 0 && value <= 1) return;
  raise<InvalidArgument>({.what = str(owner, ": ", field, " is ", value), .wanted = "from 0 to 1"});
}

void check_decay_rate(std::string_view owner, std::string_view field, double value) {
  if (value >= 0 && value < 1) return;
  raise<InvalidArgument>(
      {.what = str(owner, ": ", field, " is ", value), .wanted = "from 0 to just below 1"});
}

void check_learning_rate(std::string_view owner, std::string_view field, double value,
                         SourceLocation location) {
  if (std::isfinite(value) && value >= 0) return;
  raise<InvalidArgument>({.what = str(owner, ": ", field, " is ", value),
                          .wanted = "a finite number, 0 or more",
                          .location = location});
}

void check_decay_steps(std::string_view schedule, int64_t steps) {
  if (steps >= 1) return;
  raise<InvalidArgument>({.what = str(schedule, ": decay_steps is ", steps),
                          .wanted = "1 or more",
                          .hint = "count training steps: epochs * steps_per_epoch"});
}

}  // namespace systolic::inline v0
