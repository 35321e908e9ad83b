#include "systolic/torch/optim/optimizer.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/torch/process.h"

namespace systolic::inline v0 {
namespace torch {
namespace optim {

Optimizer::Optimizer(std::vector<Group> groups, At at) {
  for (Group& group : groups) groups_.push_back(std::make_shared<Group>(std::move(group)));
  const std::vector<Parameter> all = parameters();
  if (all.empty()) {
    raise<InvalidArgument>({.what = "optimizer got an empty parameter list", .location = at});
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::find(all.begin(), all.begin() + static_cast<int64_t>(i), all[i]) ==
        all.begin() + static_cast<int64_t>(i))
      continue;
    raise<InvalidArgument>({.what = str("parameter ", i, " ('", all[i].name(),
                                        "') comes twice in the optimizer's groups"),
                            .location = at});
  }
}

std::vector<Parameter> Optimizer::parameters() const {
  std::vector<Parameter> result;
  for (const auto& group : groups_)
    result.insert(result.end(), group->params.begin(), group->params.end());
  return result;
}

void Optimizer::step(At at) {
  internal::Process::current().autograd().end_recording();
  for (const auto& group : groups_) {
    std::vector<systolic::Tensor> gradients;
    std::vector<Variable> variables;
    for (const Parameter& parameter : group->params) {
      const Tensor gradient = parameter.grad();
      if (!gradient.valid() || !parameter.requires_grad()) continue;
      gradients.push_back(gradient);
      variables.push_back(parameter.variable());
    }
    if (!variables.empty()) group->rule.apply_gradients(gradients, variables, at);
  }
}

void Optimizer::zero_grad() const {
  for (const auto& group : groups_) {
    for (const Parameter& parameter : group->params) parameter.zero_grad();
  }
}

void Optimizer::set_lr(double lr, size_t group, At at) const {
  if (group >= groups_.size() || !(lr >= 0)) {
    raise<InvalidArgument>({.what = str("set_lr(", lr, ", ", group, ")"),
                            .wanted = str("0 or more, for one of ", groups_.size(), " groups"),
                            .location = at});
  }
  // Assigned as part of the step, and not set: that would run what is pending first.
  for (const auto& [name, variable] : groups_[group]->rule.named_variables()) {
    if (name == "learning_rate")
      variable.assign(Operand(Tensor(Literal::scalar(static_cast<float>(lr))), at));
  }
  groups_[group]->lr = lr;
}
double Optimizer::lr(size_t group) const { return groups_.at(group)->lr; }

}  // namespace optim
}  // namespace torch
}  // namespace systolic::inline v0
