#include "systolic/nn/optimizers/common/loss_scale.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/replica_context.h"

namespace systolic::inline v0 {
namespace {

using Gradients = std::vector<std::vector<Tensor>*>;

void divide(const Gradients& gradients, const Tensor& scale) {
  for (std::vector<Tensor>* some : gradients) {
    for (Tensor& gradient : *some) gradient = gradient / cast(scale, gradient.dtype());
  }
}

// pred [], the same on all cores.
Tensor all_finite(const Gradients& gradients) {
  Tensor others = constant(0.f);
  for (const std::vector<Tensor>* some : gradients) {
    for (const Tensor& gradient : *some) {
      others = others + sum(where(is_finite(gradient), zeros(gradient.shape(), DType::f32), 1.0));
    }
  }
  return all_reduce_sum(others) == 0.0;
}

void apply_where_finite(OptimizerState::DynamicScale& dynamic, const Gradients& gradients,
                        const std::function<void()>& apply) {
  const Tensor finite = all_finite(gradients), scale = dynamic.scale.value(),
               counter = dynamic.counter.value();
  std::vector<std::vector<Tensor>> scaled;
  for (const std::vector<Tensor>* some : gradients) scaled.push_back(*some);
  const auto on_finite = [&] {
    for (size_t i = 0; i < scaled.size(); ++i)
      *gradients[i] = scaled[i];  // the branch may be traced twice
    divide(gradients, scale);
    apply();
    const Tensor grows = counter == static_cast<int32_t>(dynamic.growth_steps - 1);
    dynamic.scale.assign(where(grows, scale * 2.0, scale));
    dynamic.counter.assign(where(grows, zeros({}, DType::i32), counter + 1));
    return Tensors{};
  };
  const auto on_others = [&] {
    dynamic.scale.assign(scale * 0.5);
    dynamic.counter.assign(zeros({}, DType::i32));
    return Tensors{};
  };
  cond(finite, std::function<Tensors()>(on_finite), std::function<Tensors()>(on_others));
}

}  // namespace

void check_no_lazy_rows(const OptimizerRule& rule, std::string_view beside,
                        SourceLocation location) {
  if (!rule.lazy_rows) return;
  raise<InvalidArgument>({.what = str(rule.name, " is given lazy_rows and a ", beside),
                          .wanted = "one of them: a gradient that is divided is none of few rows",
                          .location = location});
}

void check_loss_scale(const OptimizerRule& rule, SourceLocation location) {
  if (!rule.loss_scale_factor) return;
  check_no_lazy_rows(rule, "loss_scale_factor", location);
  const double factor = *rule.loss_scale_factor;
  if (factor > 0 && std::isfinite(factor)) return;
  raise<InvalidArgument>({.what = str(rule.name, ": loss_scale_factor is ", factor),
                          .wanted = "a finite number above 0",
                          .location = location});
}

void with_unscaled(OptimizerState& state, const Gradients& gradients,
                   const std::function<void()>& apply) {
  if (state.dynamic_scale) return apply_where_finite(*state.dynamic_scale, gradients, apply);
  if (state.rule.loss_scale_factor)
    divide(gradients, constant(static_cast<float>(*state.rule.loss_scale_factor)));
  apply();
}

bool Optimizer::takes_loss_scale() const {
  const auto state = this->state();
  return !state->dynamic_scale && !state->inner_of && !state->rule.loss_scale_factor &&
         !state->rule.lazy_rows;
}

Tensor Optimizer::scale_loss(const Tensor& loss) const {
  const auto state = this->state();
  if (state->dynamic_scale) return loss * cast(state->dynamic_scale->scale.value(), loss.dtype());
  if (state->rule.loss_scale_factor) return loss * *state->rule.loss_scale_factor;
  return loss;
}

}  // namespace systolic::inline v0
