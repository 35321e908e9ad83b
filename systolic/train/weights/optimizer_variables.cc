#include "systolic/train/weights/optimizer_variables.h"

#include <map>
#include <string>

#include "systolic/base/error.h"

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
      for (const std::string& slot : slots) {
        const auto found = named.find(str(variable.name(), "/", slot));
        if (found != named.end()) result.push_back(found->second);
      }
    }
  };
  add({"average"});
  add({"accumulated_gradient"});
  const auto* groups = slot_groups_of(kind);
  if (groups == nullptr) return result;  // Keras keeps what this library does not
  for (const auto& slots : *groups) add(slots);
  return result;
}

}  // namespace saving
}  // namespace systolic::inline v0
