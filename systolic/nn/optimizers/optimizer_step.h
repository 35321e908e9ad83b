// What an optimizer's update rule may ask for: the learning rate, the step's number, slots beside
// each variable, and scalars that are computed once for all variables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

struct OptimizerState;

// State of the variable at hand: all of it, or the rows that the step updates.
class Slot {
 public:
  Slot(Variable variable, std::optional<Tensor> rows)
      : variable_(std::move(variable)), rows_(std::move(rows)) {}
  Tensor value() const;
  void assign(const Tensor& value) const;

 private:
  Variable variable_;
  std::optional<Tensor> rows_;
};

class OptimizerStep {
 public:
  OptimizerStep(OptimizerState& state, Tensor learning_rate, Tensor iterations);

  // f32 scalars in the type of the variable at hand.
  Tensor learning_rate();
  // 1 in the first step.
  Tensor number();
  // compute() of f32 scalars, once in a step for each name; in the type of the variable at hand.
  Tensor scalar(std::string_view name, const std::function<Tensor()>& compute);
  // f32, for use in compute().
  const Tensor& learning_rate_f32() const { return learning_rate_; }
  const Tensor& number_f32() const { return number_; }

  // State of the variable at hand, of the gradient's shape and type; starts as `initial`.
  Slot slot(std::string_view name, double initial = 0);
  // With another shape; for a rule that has no lazy_rows.
  Slot slot_of_shape(std::string_view name, const Shape& shape, double initial = 0);
  // The one at hand, before the step.
  const Variable& variable() const { return variable_; }

  // Makes `variable` the one at hand, or of it those `rows`; called by Optimizer.
  void at(const Variable& variable, std::optional<Tensor> rows = {});

 private:
  Tensor in_type(const Tensor& scalar) const;

  OptimizerState& state_;
  Tensor learning_rate_, number_;
  std::vector<std::pair<std::string, Tensor>> scalars_;
  Variable variable_;
  std::optional<Tensor> rows_;
};

}  // namespace systolic::inline v0
