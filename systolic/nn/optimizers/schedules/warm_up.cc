#include "systolic/nn/optimizers/schedules/warm_up.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor WarmUp::operator()(const Tensor& step) const {
  const double length = static_cast<double>(warmup_steps.get());
  const LearningRate& rate = after;
  const auto at = [&](const Tensor& x) {
    return rate.is_schedule() ? rate.at(x) : constant(static_cast<float>(rate.value()));
  };
  const Tensor later = at(maximum(step - length, 0.0));
  return where(step < length, later * step / length, later);
}

}  // namespace systolic::inline v0
