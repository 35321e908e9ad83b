// An optimizer: a known name or one of the objects beside this file, with its slots on the device.
// A handle: copies are the same optimizer.
//
//   Optimizer optimizer = Adam{.learning_rate = 1e-3};
//   std::vector<Tensor> gradients = tape.gradient(loss, model.trainable_variables());
//   optimizer.apply_gradients(gradients, model.trainable_variables());
//
// Inside strategy.run the gradients of the cores are summed first. The learning rate is a Variable:
// changing it does not trace or compile anything again.
//
// Weights with a constraint (nn/constraints) are put through it after each call of
// apply_gradients.
//
// Every optimizer beside this file has six fields beyond those of its method:
//
//   AdamW{.weight_decay = 0.01, .exclude_from_weight_decay = {"bias", "LayerNorm"},
//         .gradient_accumulation_steps = 4}
//   SGD{.learning_rate = 0.1, .use_ema = true, .ema_momentum = 0.999}
//
// exclude_from_weight_decay: a variable whose name holds one of these texts does not decay
// (exclude_from_weight_decay(var_names=...) of Keras). A line is logged for each that no name
// holds. gradient_accumulation_steps: every n-th call of apply_gradients, that is each n-th batch,
// updates by the mean of the last n gradients; the other calls only add theirs up, in a slot beside
// each variable. As in Keras, iterations() and with it a schedule count batches, and Adam's
// bias correction counts updates. All calls are of the same variables. 1: each updates.
//
// use_ema: beside each variable lies the average of its values, in which each call counts
// 1 - ema_momentum; it starts as the value after the first. Variables become their averages at
// every ema_overwrite_frequency-th call, and at the end of fit (finalize_variable_values).
// loss_scale_factor: the loss is multiplied by it (scale_loss), and gradients are divided by it, so
// that those in f16 do not vanish. LossScaleOptimizer (common/loss_scale_optimizer.h) finds the
// factor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/rule.h"
#include "systolic/nn/optimizers/schedules/learning_rate.h"
#include "systolic/trace/variable.h"

// What an optimizer may be called, and the class that the name stands for, with its defaults.
// clang-format off
#define SYSTOLIC_OPTIMIZERS(named) \
  named("sgd", SGD)                \
  named("adam", Adam)              \
  named("adamw", AdamW)            \
  named("rmsprop", RMSprop)        \
  named("adagrad", Adagrad)        \
  named("lamb", Lamb)              \
  named("adadelta", Adadelta)      \
  named("adafactor", Adafactor)    \
  named("adamax", Adamax)          \
  named("ftrl", Ftrl)              \
  named("lion", Lion)              \
  named("muon", Muon)              \
  named("nadam", Nadam)            \
  named("schedulefreeadamw", ScheduleFreeAdamW)
// clang-format on

namespace systolic::inline v0 {

// The names that an Optimizer takes, each with the object that it stands for, with that object's
// defaults.
struct OptimizerNames {
  SYSTOLIC_NAMES_OF("optimizer", SYSTOLIC_OPTIMIZERS)
};

// How gradients are limited before they are used; the first that is set counts.
struct GradientClipping {
  std::optional<double> clipnorm = {};         // of each gradient's own norm
  std::optional<double> global_clipnorm = {};  // of the norm of all gradients together
  std::optional<double> clipvalue = {};        // of each element
};

Config to_config(const GradientClipping& clipping);
void from_config(const Config& config, GradientClipping& clipping);

// The fields that every optimizer has, after those of its own.
template <class Self>
constexpr auto shared_optimizer_fields() {
  return std::tuple(field("weight_decay", &Self::weight_decay), field("clipping", &Self::clipping),
                    field("name", &Self::name),
                    field("exclude_from_weight_decay", &Self::exclude_from_weight_decay),
                    field("gradient_accumulation_steps", &Self::gradient_accumulation_steps),
                    field("use_ema", &Self::use_ema), field("ema_momentum", &Self::ema_momentum),
                    field("ema_overwrite_frequency", &Self::ema_overwrite_frequency),
                    field("loss_scale_factor", &Self::loss_scale_factor));
}

// One step as update rules see it.
class OptimizerStep;

// What an update rule keeps beside a variable, such as its momentum.
struct OptimizerSlot {
  std::string name;                 // as update asks for it: step.slot("momentum")
  double initial = 0;               // of all its elements
  std::optional<Shape> shape = {};  // the variable's where none is given
};

// An optimizer object: an aggregate with `name`, `learning_rate`, `weight_decay` (an
// std::optional<double>), `clipping`, perhaps the six fields above, and
//   Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const
// which gives the new value of a variable from its value and gradient. What it keeps beside the
// variable it declares, in this order:
//   std::vector<OptimizerSlot> slots(const Variable& variable) const
// Where one of your own does not, an update is traced to see it when a file is read before the
// first step.
template <class Spec>
concept OptimizerSpec = requires(const Spec& spec, OptimizerStep& step, const Tensor& x) {
  { spec.update(step, x, x) } -> std::convertible_to<Tensor>;
  { spec.learning_rate } -> std::convertible_to<LearningRate>;
  { spec.weight_decay } -> std::convertible_to<std::optional<double>>;
  { spec.clipping } -> std::convertible_to<GradientClipping>;
  { spec.name } -> std::convertible_to<std::string>;
};

// What Optimizer keeps of an optimizer object, whatever its type.
struct OptimizerRule {
  std::string name;
  LearningRate learning_rate;
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  // Whether a step changes of tables that are only looked up the rows that it used.
  bool lazy_rows = false;
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  // Where it is not the same for all: that of a variable.
  std::function<std::optional<double>(const Variable& variable)> weight_decay_of = {};

  std::function<Tensor(OptimizerStep& step, const Tensor& gradient, const Tensor& value)> update =
      {};
  // None where the rule does not declare them.
  std::function<std::vector<OptimizerSlot>(const Variable& variable)> slots = {};
  // Unimplemented where the spec has no fields().
  std::function<Config()> config = {};
};

namespace internal {

template <OptimizerSpec Spec>
OptimizerRule optimizer_rule(Spec spec);

}  // namespace internal

struct OptimizerState;
struct LossScaleOptimizer;
struct MultiOptimizer;

class Optimizer {
 public:
  template <size_t n>
  consteval Optimizer(const char (&name)[n])  // NOLINT
      : position_(OptimizerNames::position({name, n - 1})) {}
  template <OptimizerSpec Spec>
  Optimizer(Spec spec, SourceLocation location = SourceLocation::current())  // NOLINT
      : state_(make_state(internal::optimizer_rule(std::move(spec)), location)) {}
  Optimizer(LossScaleOptimizer spec,
            SourceLocation location = SourceLocation::current());                       // NOLINT
  Optimizer(MultiOptimizer spec, SourceLocation location = SourceLocation::current());  // NOLINT
  Optimizer(const Optimizer& other) : position_(other.position_), state_(other.state()) {}
  Optimizer& operator=(const Optimizer& other) {
    position_ = other.position_;
    state_ = other.state();
    return *this;
  }
  static Optimizer parse(std::string_view name,
                         SourceLocation location = SourceLocation::current());

  // One gradient for each variable, of its shape.
  void apply_gradients(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables,
                       SourceLocation location = SourceLocation::current()) const;
  void apply_gradients(const std::vector<std::pair<Tensor, Variable>>& gradients_and_variables,
                       SourceLocation location = SourceLocation::current()) const;

  // The loss of which the gradients are to be taken: `loss` times what gradients are divided by.
  Tensor scale_loss(const Tensor& loss) const;
  // Whether a LossScaleOptimizer can take it over: nothing scales its loss, and its gradients are
  // not of few rows.
  bool takes_loss_scale() const;
  // With use_ema each variable becomes its average; fit does so at its end.
  void finalize_variable_values(const std::vector<Variable>& variables) const;
  // Swaps each variable's value and its average; without use_ema a FailedPrecondition.
  void swap_averages(SourceLocation location = SourceLocation::current()) const;

  std::string name() const;
  // {"class_name": "Adam", "config": {...}} as it was made, and back; also of a name ("adam"). One
  // that is the user's own code has no configuration: Unimplemented.
  Config get_config() const;
  static Optimizer from_config(const Config& config,
                               SourceLocation location = SourceLocation::current());
  // Calls of apply_gradients so far: i32 [].
  Variable iterations() const;
  // The rate of the coming step, f32 []; a Variable's value, or what the schedule gives.
  Tensor learning_rate() const;
  // From now on; replaces a schedule only in an optimizer that has none: else FailedPrecondition.
  void set_learning_rate(double value, SourceLocation location = SourceLocation::current()) const;
  bool has_schedule() const;

  // iterations, learning rate, then the slots of each variable in the order of the first step.
  // "iterations", "learning_rate", "dense/kernel/momentum".
  std::vector<std::pair<std::string, Variable>> named_variables() const;
  std::vector<Variable> variables() const;
  // Makes the slots, so that a checkpoint can be read before the first step.
  void build(const std::vector<Variable>& variables) const;
  // The optimizer of `owner`, a model that is compiled with it: this one, or where it is another's
  // already and was only named ("adam"), a new one. Else none: it counts steps, and follows a
  // schedule, once for all that it updates.
  std::optional<Optimizer> claimed_by(const std::shared_ptr<const void>& owner) const;
  friend std::shared_ptr<const void> trace_key(const Optimizer& optimizer) {
    return optimizer.state();
  }

 private:
  Optimizer() = default;
  static std::shared_ptr<OptimizerState> make_state(OptimizerRule rule, SourceLocation location);
  std::shared_ptr<OptimizerState> state() const;

  int position_ = -1;  // in OptimizerNames, where it was given by name
  // Made at the first use where the optimizer was named: a literal is a constant of the compiler.
  mutable std::shared_ptr<OptimizerState> state_;
};

namespace internal {

template <OptimizerSpec Spec>
OptimizerRule optimizer_rule(Spec spec) {
  OptimizerRule rule{.name = spec.name,
                     .learning_rate = spec.learning_rate,
                     .weight_decay = spec.weight_decay,
                     .clipping = spec.clipping};
  if constexpr (requires { spec.lazy_rows; }) rule.lazy_rows = spec.lazy_rows;
  if constexpr (requires { spec.exclude_from_weight_decay; })
    rule.exclude_from_weight_decay = spec.exclude_from_weight_decay;
  if constexpr (requires { spec.gradient_accumulation_steps; })
    rule.gradient_accumulation_steps = spec.gradient_accumulation_steps;
  if constexpr (requires { spec.use_ema; }) {
    rule.use_ema = spec.use_ema;
    rule.ema_momentum = spec.ema_momentum;
    rule.ema_overwrite_frequency = spec.ema_overwrite_frequency;
  }
  if constexpr (requires { spec.loss_scale_factor; })
    rule.loss_scale_factor = spec.loss_scale_factor;

  const auto kept = std::make_shared<const Spec>(std::move(spec));
  rule.update = [kept](OptimizerStep& step, const Tensor& gradient, const Tensor& value) {
    return kept->update(step, gradient, value);
  };
  if constexpr (requires(const Variable& variable) { kept->weight_decay_of(variable); }) {
    rule.weight_decay_of = [kept](const Variable& variable) {
      return kept->weight_decay_of(variable);
    };
  }
  if constexpr (requires(const Variable& variable) { kept->slots(variable); })
    rule.slots = [kept](const Variable& variable) { return kept->slots(variable); };
  rule.config = [kept] { return config_of_rule(*kept, "optimizer", kept->name); };
  return rule;
}

}  // namespace internal

}  // namespace systolic::inline v0
