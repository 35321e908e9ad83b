// What the optimizers of tables have in common, as one rule for Optimizer.
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/embedding/optimizers.h"
#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {
namespace {

Tensor limited(Tensor x, const std::optional<double>& least, const std::optional<double>& most) {
  if (least) x = maximum(x, *least);
  if (most) x = minimum(x, *most);
  return x;
}

// As Optimizer takes it.
struct TableRule {
  LearningRate learning_rate;
  std::optional<double> weight_decay = {};  // by the rate alone: not what tables have
  GradientClipping clipping = {};           // of whole gradients, which are never made
  std::string name;
  bool lazy_rows = true;
  EmbeddingOptimizer rule;

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
    return std::visit(
        [&](const auto& own) {
          const ClipValue limits = own.clipvalue.value_or(ClipValue{});
          Tensor before = value;
          if (own.weight_decay_factor) before = value - value * decay(own, step);
          const Tensor after = own.update(step, limited(gradient, limits.min, limits.max), before);
          return limited(after, own.clip_weight_min, own.clip_weight_max);
        },
        rule);
  }
  std::vector<OptimizerSlot> slots(const Variable& variable) const {
    return std::visit([&](const auto& own) { return own.slots(variable); }, rule);
  }

 private:
  template <class Rule>
  static Tensor decay(const Rule& own, OptimizerStep& step) {
    return step.scalar("decay", [&] {
      const Tensor& rate = step.learning_rate_f32();
      return own.multiply_weight_decay_factor_by_learning_rate
                 ? rate * *own.weight_decay_factor
                 : ones_like(rate) * *own.weight_decay_factor;
    });
  }
};

void check_order(const char* optimizer, const char* field, const std::optional<double>& least,
                 const std::optional<double>& most, SourceLocation location) {
  const bool ordered = !least || !most || *least <= *most;
  if (ordered && !(least && std::isnan(*least)) && !(most && std::isnan(*most))) return;
  raise<InvalidArgument>({.what = str(optimizer, ": ", field, " is ", least.value_or(-INFINITY),
                                      " to ", most.value_or(INFINITY)),
                          .wanted = "a minimum that is no more than the maximum",
                          .location = location});
}

void check_numbers(const SGD&) {}
void check_numbers(const Adagrad&) {}
void check_numbers(const AdagradMomentum& rule) {
  check_share("AdagradMomentum", "momentum", rule.momentum);
  check_share("AdagradMomentum", "beta2", rule.beta2);
}
void check_numbers(const FTRL& rule) {
  if (rule.learning_rate_power <= 0 && rule.l1_regularization_strength >= 0 &&
      rule.l2_regularization_strength >= 0 && rule.beta >= 0)
    return;
  raise<InvalidArgument>(
      {.what = str("FTRL: learning_rate_power is ", rule.learning_rate_power,
                   ", l1_regularization_strength ", rule.l1_regularization_strength,
                   ", l2_regularization_strength ", rule.l2_regularization_strength, ", beta ",
                   rule.beta),
       .wanted = "a power of at most 0, and strengths and beta of at least 0"});
}
void check_numbers(const Adam& rule) {
  check_decay_rate("Adam", "beta_1", rule.beta_1);
  check_decay_rate("Adam", "beta_2", rule.beta_2);
}

bool moves_rows(const Adam& rule) { return rule.lazy_adam; }
template <class Rule>
bool moves_rows(const Rule&) {
  return true;
}

template <class Rule>
systolic::Optimizer made_of(const Rule& rule, SourceLocation location) {
  if (!rule.use_gradient_accumulation) {
    raise<Unimplemented>(
        {.what = str(rule.kind, ": use_gradient_accumulation is false"),
         .wanted = "true: the gradients of one id in a batch are summed, then used once",
         .location = location});
  }
  check_order(rule.kind, "clip_weight_min to clip_weight_max", rule.clip_weight_min,
              rule.clip_weight_max, location);
  if (rule.clipvalue) {
    check_order(rule.kind, "clipvalue", rule.clipvalue->min, rule.clipvalue->max, location);
  }
  const ErrorScope scope("the optimizer of a table", location);
  check_numbers(rule);
  return {TableRule{.learning_rate = rule.learning_rate,
                    .name = rule.kind,
                    .lazy_rows = moves_rows(rule),
                    .rule = rule},
          location};
}

}  // namespace

systolic::Optimizer table_optimizer(const EmbeddingOptimizer& rule, SourceLocation location) {
  return std::visit([&](const auto& own) { return made_of(own, location); }, rule);
}

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
