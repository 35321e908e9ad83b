// What an Optimizer handle points to. Internal to nn.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

// Slots that any rule may have besides its own: with gradient_accumulation_steps, with use_ema.
inline constexpr const char* accumulated_gradient_slot = "accumulated_gradient";
inline constexpr const char* average_slot = "average";

struct OptimizerState {
  struct Slots {
    Variable variable;  // none where it owns this optimizer, as a table of embeddings does
    std::string name;   // of the variable
    std::vector<std::pair<std::string, Variable>> slots;
  };

  OptimizerRule rule;
  Variable iterations, learning_rate;
  std::vector<Slots> slots;
  std::unordered_map<const VariableState*, size_t> position;  // in `slots`
  std::optional<std::weak_ptr<const void>> owner;
  std::vector<const VariableState*> accumulated;  // whose gradients are summed over batches
  std::vector<Variable> left_to_others;           // with an optimizer of their own
  // What a LossScaleOptimizer knows; none in others.
  struct DynamicScale {
    double initial = 0;
    int64_t growth_steps = 0;
    Variable scale, counter;  // f32 [], i32 []
  };
  std::optional<DynamicScale> dynamic_scale;
  // The optimizers that a MultiOptimizer leaves the variables to, and which moves one.
  std::vector<Optimizer> inner;
  std::function<size_t(const Variable& variable)> inner_of;

  // With the variable's shape where none is given.
  Variable slot(const Variable& variable, std::string_view name, double initial,
                std::optional<Shape> shape = {});
  // Those that the rule declares, and what its fields ask for besides; none where it declares none.
  void make_slots(const Variable& variable);
  void leave_to_other(const Variable& variable);
};

}  // namespace systolic::inline v0
