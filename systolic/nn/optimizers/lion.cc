#include "systolic/nn/optimizers/lion.h"

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> Lion::slots(const Variable&) const { return {{.name = "momentum"}}; }

Tensor Lion::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  if (!(beta_1 > 0 && beta_1 <= 1)) {
    raise<InvalidArgument>(
        {.what = str(name, ": beta_1 is ", beta_1), .wanted = "more than 0, up to 1"});
  }
  check_share(name, "beta_2", beta_2);
  const Slot m = step.slot("momentum");
  const Tensor now = m.value();
  m.assign(beta_2 * now + (1 - beta_2) * gradient);
  return value - step.learning_rate() * sign(beta_1 * now + (1 - beta_1) * gradient);
}

}  // namespace systolic::inline v0
