#include "systolic/nn/optimizers/optimizer_step.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/nn/optimizers/optimizer_state.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {

OptimizerStep::OptimizerStep(OptimizerState& state, Tensor learning_rate, Tensor iterations)
    : state_(state),
      learning_rate_(std::move(learning_rate)),
      number_(cast(iterations, DType::f32) + 1.0) {}

void OptimizerStep::at(const Variable& variable, std::optional<Tensor> rows) {
  variable_ = variable;
  rows_ = std::move(rows);
}

Tensor Slot::value() const { return rows_ ? gather(variable_.value(), *rows_) : variable_.value(); }

void Slot::assign(const Tensor& value) const {
  variable_.assign(rows_ ? scatter_update(variable_.value(), *rows_, value) : value);
}

Tensor OptimizerStep::in_type(const Tensor& scalar) const {
  return cast(scalar, variable_.dtype());
}

Tensor OptimizerStep::learning_rate() { return in_type(learning_rate_); }
Tensor OptimizerStep::number() { return in_type(number_); }

Tensor OptimizerStep::scalar(std::string_view name, const std::function<Tensor()>& compute) {
  for (const auto& [known, value] : scalars_) {
    if (known == name) return in_type(value);
  }
  scalars_.emplace_back(name, compute());
  return in_type(scalars_.back().second);
}

Slot OptimizerStep::slot(std::string_view name, double initial) {
  return {state_.slot(variable_, name, initial), rows_};
}

Slot OptimizerStep::slot_of_shape(std::string_view name, const Shape& shape, double initial) {
  return {state_.slot(variable_, name, initial, shape), std::nullopt};
}

Variable OptimizerState::slot(const Variable& variable, std::string_view name, double initial,
                              std::optional<Shape> given) {
  const auto [found, is_new] = position.emplace(variable.state().get(), slots.size());
  const bool is_owner = variable.state()->own_optimizer != nullptr;
  if (is_new) slots.push_back({is_owner ? Variable() : variable, variable.name(), {}});
  Slots& own = slots[found->second];
  for (const auto& [known, slot] : own.slots) {
    if (known == name) return slot;
  }
  const DType dtype = variable.dtype();
  const Shape shape = given.value_or(variable.shape());
  own.slots.emplace_back(
      name, Variable(dtype, shape, [=] { return Literal::filled(dtype, shape, initial); },
                     {.name = str(variable.name(), "/", name),
                      .trainable = false,
                      .role = ir::Role::optimizer_state}));
  own.slots.back().second.state()->rows_over_cores = variable.state()->rows_over_cores;
  return own.slots.back().second;
}

void OptimizerState::make_slots(const Variable& variable) {
  if (!rule.slots) return;
  if (rule.gradient_accumulation_steps > 1) slot(variable, accumulated_gradient_slot, 0);
  for (const OptimizerSlot& one : rule.slots(variable))
    slot(variable, one.name, one.initial, one.shape);
  if (rule.use_ema) slot(variable, average_slot, 0);
}

void OptimizerState::leave_to_other(const Variable& variable) {
  if (std::find(left_to_others.begin(), left_to_others.end(), variable) == left_to_others.end())
    left_to_others.push_back(variable);
}

}  // namespace systolic::inline v0
