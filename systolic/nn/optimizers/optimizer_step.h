// What an optimizer's update rule may ask for: the learning rate, the step's number, slots beside
// each variable, and scalars that are computed once for all variables.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

struct OptimizerState;

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

  // State of the variable at hand, of its shape and type; starts as `initial`.
  Variable slot(std::string_view name, double initial = 0);

  // Makes `variable` the one at hand; called by Optimizer.
  void at(const Variable& variable);

 private:
  Tensor in_type(const Tensor& scalar) const;

  OptimizerState& state_;
  Tensor learning_rate_, number_;
  std::vector<std::pair<std::string, Tensor>> scalars_;
  Variable variable_;
};

}  // namespace systolic::inline v0
