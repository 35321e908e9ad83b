#include "systolic/train/weights/optimizer_variables.h"

#include <map>
#include <string>

#include "systolic/base/error.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace saving {

namespace {

// Slots that Keras makes together, variable by variable; each group for all variables.
const std::vector<std::vector<std::string>>* slot_groups_of(const std::string& optimizer) {
  static const std::map<std::string, std::vector<std::vector<std::string>>> groups{
      {"SGD", {{"momentum"}}},
      {"Adam", {{"momentum", "velocity"}, {"velocity_hat"}}},
      {"AdamW", {{"momentum", "velocity"}, {"velocity_hat"}}},
      {"RMSprop", {{"velocity"}, {"momentum"}, {"average_gradient"}}},
      {"Adadelta", {{"accumulated_grad", "accumulated_delta_var"}}},
      {"Adagrad", {{"accumulator"}}},
      {"Adamax", {{"momentum", "norm"}}},
      {"Ftrl", {{"accumulator", "linear"}}},
      {"Lamb", {{"momentum", "velocity"}}},
      {"Lion", {{"momentum"}}},
      {"Muon", {{"momentum", "velocity"}}},
      {"ScheduleFreeAdamW", {{"momentum", "velocity"}}},
  };
  const auto found = groups.find(optimizer);
  return found == groups.end() ? nullptr : &found->second;
}

// What the optimizer of one variable alone keeps, in its order: the number of its updates, its rate
// and its slots.
std::vector<Variable> of_own_optimizer(const Optimizer& optimizer, const Variable& variable) {
  std::vector<Variable> result;
  const std::string prefix = str(variable.name(), "/");
  for (const auto& [name, one] : optimizer.named_variables()) {
    if (name.starts_with(prefix)) result.push_back(one);
  }
  return result;
}

}  // namespace

std::vector<Variable> optimizer_variables(const Optimizer& optimizer,
                                          const std::vector<Variable>& trainable) {
  optimizer.build(trainable);
  std::map<std::string, Variable> named;
  for (const auto& [name, variable] : optimizer.named_variables()) named[name] = variable;
  const Config config = optimizer.get_config();
  std::string kind = config["class_name"].text_value();
  std::vector<Variable> result;
  if (kind == "LossScaleOptimizer") {
    // Its own count and rate stand before those of the one inside, which are those that count.
    for (const char* own : {"iterations", "learning_rate", "step_counter", "dynamic_scale"})
      result.push_back(named.at(own));
    kind = config["config"]["inner_optimizer"]["class_name"].text_value();
  }
  result.push_back(named.at("iterations"));
  if (!optimizer.has_schedule()) result.push_back(named.at("learning_rate"));
  const auto add = [&](const std::vector<std::string>& slots) {
    for (const Variable& variable : trainable) {
      if (variable.state()->own_optimizer) continue;
      for (const std::string& slot : slots) {
        const auto found = named.find(str(variable.name(), "/", slot));
        if (found != named.end()) result.push_back(found->second);
      }
    }
  };
  add({"average"});
  add({"accumulated_gradient"});
  // Without groups Keras keeps what this library does not.
  if (const auto* groups = slot_groups_of(kind)) {
    for (const auto& slots : *groups) add(slots);
  }
  for (const Variable& variable : trainable) {
    if (!variable.state()->own_optimizer) continue;
    const std::vector<Variable> own = of_own_optimizer(optimizer, variable);
    result.insert(result.end(), own.begin(), own.end());
  }
  return result;
}

}  // namespace saving
}  // namespace systolic::inline v0
