#include "systolic/train/saving/optimizer_variables.h"

#include <map>
#include <string>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace saving {

std::vector<Variable> optimizer_variables(const Optimizer& optimizer,
                                          const std::vector<Variable>& trainable) {
  // Slots that Keras makes together, variable by variable; each group for all variables.
  static const std::map<std::string, std::vector<std::vector<std::string>>> slot_groups{
      {"SGD", {{"momentum"}}},
      {"Adam", {{"momentum", "velocity"}, {"velocity_hat"}}},
      {"AdamW", {{"momentum", "velocity"}, {"velocity_hat"}}},
      {"RMSprop", {{"velocity"}, {"momentum"}, {"average_gradient"}}},
      {"Adagrad", {{"accumulator"}}},
      {"Lamb", {{"momentum", "velocity"}}},
  };
  optimizer.build(trainable);
  std::map<std::string, Variable> named;
  for (const auto& [name, variable] : optimizer.named_variables()) named[name] = variable;
  std::vector<Variable> result{named.at("iterations")};
  if (!optimizer.has_schedule()) result.push_back(named.at("learning_rate"));
  const auto add = [&](const std::vector<std::string>& slots) {
    for (const Variable& variable : trainable) {
      for (const std::string& slot : slots) {
        const auto found = named.find(str(variable.name(), "/", slot));
        if (found != named.end()) result.push_back(found->second);
      }
    }
  };
  add({"accumulated_gradient"});
  for (const auto& slots : slot_groups.at(optimizer.get_config()["class_name"].text_value()))
    add(slots);
  return result;
}

}  // namespace saving
}  // namespace systolic::inline v0
