#include "systolic/nn/optimizers/adamw.h"

#include "systolic/nn/optimizers/adam.h"
#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> AdamW::slots(const Variable& variable) const {
  return Adam{.amsgrad = amsgrad}.slots(variable);
}

Tensor AdamW::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  return Adam{
      .beta_1 = beta_1, .beta_2 = beta_2, .epsilon = epsilon, .amsgrad = amsgrad, .name = name}
      .update(step, gradient, value);
}

}  // namespace systolic::inline v0
