#include "systolic/nn/optimizers/common/variable_averages.h"

#include <algorithm>
#include <cstdint>

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/update/gradient_accumulation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace {

// The average of a variable that the optimizer has moved; none: it has not.
std::optional<Variable> average_of(const OptimizerState& state, const Variable& variable) {
  const auto found = state.position.find(variable.state().get());
  if (found == state.position.end()) return std::nullopt;
  for (const auto& [name, slot] : state.slots[found->second].slots) {
    if (name == average_slot) return slot;
  }
  return std::nullopt;
}

}  // namespace

void check_average(const OptimizerRule& rule, SourceLocation location) {
  if (!rule.use_ema) return;
  if (!(rule.ema_momentum >= 0 && rule.ema_momentum <= 1)) {
    raise<InvalidArgument>({.what = str(rule.name, ": ema_momentum is ", rule.ema_momentum),
                            .wanted = "from 0 to 1",
                            .location = location});
  }
  const int64_t every = rule.ema_overwrite_frequency.value_or(1);
  if (every >= 1 && every <= INT32_MAX) return;
  raise<InvalidArgument>({.what = str(rule.name, ": ema_overwrite_frequency is ", every),
                          .wanted = "1 or more steps; nothing: at the end of fit alone",
                          .location = location});
}

void update_averages(OptimizerState& state, const std::vector<Variable>& variables) {
  const OptimizerRule& rule = state.rule;
  const Tensor updates = updates_done(state);
  const Tensor kept = cast(updates != 0, DType::f32) * rule.ema_momentum;
  for (const Variable& variable : variables) {
    const Variable average = state.slot(variable, average_slot, 0);
    const Tensor value = variable.value(), share = cast(kept, variable.dtype());
    average.assign(share * average.value() + (1.0 - share) * value);
    if (!rule.ema_overwrite_frequency) continue;
    const auto every = static_cast<int32_t>(*rule.ema_overwrite_frequency);
    variable.assign(where((updates + 1) % every == 0, average.value(), value));
  }
}

void constrain(const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    const auto& constraint = variable.state()->constraint;
    if (!constraint) continue;
    const Tensor value = constraint(variable.value());
    if (value.shape() != variable.shape()) {
      raise<InvalidArgument>({.what = str("the constraint of variable '", variable.name(),
                                          "' gives shape ", value.shape()),
                              .wanted = str(variable.shape())});
    }
    variable.assign(cast(value, variable.dtype()));
  }
}

void Optimizer::finalize_variable_values(const std::vector<Variable>& variables) const {
  const auto state = this->state();
  for (const Optimizer& inner : state->inner) inner.finalize_variable_values(variables);
  if (!state->rule.use_ema) return;
  for (const Variable& variable : variables) {
    if (const auto average = average_of(*state, variable)) variable.set(average->literal());
  }
}

void Optimizer::swap_averages(SourceLocation location) const {
  const auto state = this->state();
  bool any = state->rule.use_ema;
  for (const Optimizer& inner : state->inner) {
    if (!inner.state()->rule.use_ema) continue;
    inner.swap_averages(location);
    any = true;
  }
  if (!any) {
    raise<FailedPrecondition>({.what = str("the optimizer ", name(), " keeps no averages"),
                               .hint = "make it with .use_ema = true",
                               .location = location});
  }
  for (const OptimizerState::Slots& own : state->slots) {
    const auto average = average_of(*state, own.variable);
    if (!average) continue;
    const Literal value = own.variable.literal();
    own.variable.set(average->literal());
    average->set(value);
  }
}

}  // namespace systolic::inline v0
