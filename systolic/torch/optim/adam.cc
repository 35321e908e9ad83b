#include "systolic/torch/optim/adam.h"

#include <string>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace torch {
namespace optim {
namespace {

struct AdamRule {
  AdamOptions options;  // weight_decay: what is added to gradients
  LearningRate learning_rate = 0.0;
  std::optional<double> weight_decay = {};  // what is taken from values
  GradientClipping clipping = {};
  std::string name = "Adam";

  std::vector<OptimizerSlot> slots(const Variable&) const {
    std::vector<OptimizerSlot> all{{.name = "exp_avg"}, {.name = "exp_avg_sq"}};
    if (options.amsgrad) all.push_back({.name = "max_exp_avg_sq"});
    return all;
  }
  systolic::Tensor update(OptimizerStep& step, const systolic::Tensor& gradient,
                          const systolic::Tensor& value) const {
    const auto [beta1, beta2] = options.betas;
    systolic::Tensor g = options.maximize ? -gradient : gradient;
    if (options.weight_decay != 0) g = g + options.weight_decay * value;
    const Slot m = step.slot("exp_avg"), v = step.slot("exp_avg_sq");
    const systolic::Tensor m_next = m.value() + (g - m.value()) * (1 - beta1);
    const systolic::Tensor v_next = beta2 * v.value() + (1 - beta2) * square(g);
    m.assign(m_next);
    v.assign(v_next);
    systolic::Tensor spread = v_next;
    if (options.amsgrad) {
      const Slot largest = step.slot("max_exp_avg_sq");
      spread = maximum(largest.value(), v_next);
      largest.assign(spread);
    }
    const systolic::Tensor rate = step.scalar("step_size", [&step, b = beta1] {
      return step.learning_rate_f32() / (1.0 - pow(b, step.number_f32()));
    });
    const systolic::Tensor scale = step.scalar("bias_correction2_sqrt", [&step, b = beta2] {
      return sqrt(1.0 - pow(b, step.number_f32()));
    });
    return value - rate * m_next / (sqrt(spread) / scale + options.eps);
  }
};

void check_adam(const AdamOptions& options, double decay, At at) {
  for (const double beta : options.betas) {
    if (beta >= 0 && beta < 1) continue;
    raise<InvalidArgument>({.what = str("Adam with a beta of ", beta),
                            .wanted = "0 or more, and less than 1",
                            .location = at});
  }
  if (options.lr >= 0 && options.eps >= 0 && decay >= 0) return;
  raise<InvalidArgument>(
      {.what = str("Adam with lr ", options.lr, ", eps ", options.eps, ", weight_decay ", decay),
       .wanted = "0 or more of each",
       .location = at});
}

// `decoupled`: AdamW.
systolic::Optimizer rule_of(AdamOptions options, const ParamGroup& group, bool decoupled, At at) {
  options.lr = group.lr.value_or(options.lr);
  const double decay = group.weight_decay.value_or(options.weight_decay);
  check_adam(options, decay, at);
  options.weight_decay = decoupled ? 0 : decay;
  AdamRule rule{.options = options, .learning_rate = options.lr};
  if (decoupled) rule.weight_decay = decay;
  if (decoupled) rule.name = "AdamW";
  return systolic::Optimizer(std::move(rule), at);
}

AdamOptions as_adam(const AdamWOptions& options) {
  return {options.lr,           options.betas,   options.eps,
          options.weight_decay, options.amsgrad, options.maximize};
}

}  // namespace

Adam::Adam(const std::vector<ParamGroup>& groups, AdamOptions options, At at)
    : Optimizer(
          [&] {
            std::vector<Group> result;
            for (const ParamGroup& group : groups) {
              result.push_back({group.params, rule_of(options, group, false, at),
                                group.lr.value_or(options.lr)});
            }
            return result;
          }(),
          at) {}

Adam::Adam(std::vector<Parameter> params, AdamOptions options, At at)
    : Adam(std::vector<ParamGroup>{{.params = std::move(params)}}, options, at) {}

AdamW::AdamW(const std::vector<ParamGroup>& groups, AdamWOptions options, At at)
    : Optimizer(
          [&] {
            std::vector<Group> result;
            for (const ParamGroup& group : groups) {
              result.push_back({group.params, rule_of(as_adam(options), group, true, at),
                                group.lr.value_or(options.lr)});
            }
            return result;
          }(),
          at) {}

AdamW::AdamW(std::vector<Parameter> params, AdamWOptions options, At at)
    : AdamW(std::vector<ParamGroup>{{.params = std::move(params)}}, options, at) {}

}  // namespace optim
}  // namespace torch
}  // namespace systolic::inline v0
