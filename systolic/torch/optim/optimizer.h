// What all optimizers do (torch.optim.Optimizer): update parameters by their gradients.
//
//   torch::optim::AdamW optimizer(model.parameters(), {.lr = 3e-5});
//   optimizer.zero_grad();
//   criterion(model(x), y).backward();
//   optimizer.step();
//
// The update rules are PyTorch's, over the slots and the step counter of systolic's Optimizer. A
// handle: copies are the same optimizer. Make it in the function that xmp::spawn starts: its state
// belongs to one ordinal.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "systolic/nn/optimizers/optimizer.h"
#include "systolic/torch/parameter.h"

namespace systolic::inline v0 {
namespace torch {
namespace optim {

// Parameters with a rate or decay of their own; what is not set is the optimizer's.
struct ParamGroup {
  std::vector<Parameter> params;
  std::optional<double> lr = {}, weight_decay = {};
};

class Optimizer {
 public:
  // One update of every parameter that has a gradient; the first that never had one is left as it
  // is, its state too.
  void step(At at = At::current());
  // Gradients hold nothing afterwards, as with set_to_none=True.
  void zero_grad() const;

  // The rate of the i-th group from the next step on. Nothing is compiled again.
  void set_lr(double lr, size_t group = 0, At at = At::current()) const;
  double lr(size_t group = 0) const;
  size_t groups() const { return groups_.size(); }
  std::vector<Parameter> parameters() const;

 protected:
  struct Group {
    std::vector<Parameter> params;
    systolic::Optimizer rule;
    double lr;
  };
  // An empty list and a parameter that comes twice are an InvalidArgument.
  explicit Optimizer(std::vector<Group> groups, At at);

 private:
  std::vector<std::shared_ptr<Group>> groups_;
};

}  // namespace optim
}  // namespace torch
}  // namespace systolic::inline v0
