#include "systolic/torch/optim/sgd.h"

#include <string>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace torch {
namespace optim {
namespace {

struct SgdRule {
  SGDOptions options;
  LearningRate learning_rate = 0.0;
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "SGD";

  std::vector<OptimizerSlot> slots(const Variable&) const {
    if (options.momentum == 0) return {};
    return {{.name = "momentum_buffer"}};
  }
  systolic::Tensor update(OptimizerStep& step, const systolic::Tensor& gradient,
                          const systolic::Tensor& value) const {
    systolic::Tensor g = options.maximize ? -gradient : gradient;
    if (options.weight_decay != 0) g = g + options.weight_decay * value;
    if (options.momentum != 0) {
      const Slot buffer = step.slot("momentum_buffer");
      systolic::Tensor next = options.momentum * buffer.value() + (1 - options.dampening) * g;
      if (options.dampening != 0) next = where(step.number() == 1, g, next);
      buffer.assign(next);
      g = options.nesterov ? g + options.momentum * next : next;
    }
    return value - step.learning_rate() * g;
  }
};

void check_sgd(const SGDOptions& options, At at) {
  const bool good = options.lr >= 0 && options.momentum >= 0 && options.weight_decay >= 0;
  if (!good) {
    raise<InvalidArgument>({.what = str("SGD with lr ", options.lr, ", momentum ", options.momentum,
                                        ", weight_decay ", options.weight_decay),
                            .wanted = "0 or more of each",
                            .location = at});
  }
  if (options.nesterov && (options.momentum == 0 || options.dampening != 0)) {
    raise<InvalidArgument>(
        {.what = "SGD with nesterov", .wanted = "a momentum, and no dampening", .location = at});
  }
}

SGDOptions of_group(SGDOptions options, const ParamGroup& group) {
  options.lr = group.lr.value_or(options.lr);
  options.weight_decay = group.weight_decay.value_or(options.weight_decay);
  return options;
}

}  // namespace

SGD::SGD(const std::vector<ParamGroup>& groups, SGDOptions options, At at)
    : Optimizer(
          [&] {
            std::vector<Group> result;
            for (const ParamGroup& group : groups) {
              const SGDOptions own = of_group(options, group);
              check_sgd(own, at);
              result.push_back(
                  {group.params,
                   systolic::Optimizer(SgdRule{.options = own, .learning_rate = own.lr}, at),
                   own.lr});
            }
            return result;
          }(),
          at) {}

SGD::SGD(std::vector<Parameter> params, SGDOptions options, At at)
    : SGD(std::vector<ParamGroup>{{.params = std::move(params)}}, options, at) {}

}  // namespace optim
}  // namespace torch
}  // namespace systolic::inline v0
