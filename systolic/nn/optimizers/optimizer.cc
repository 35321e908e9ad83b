#include "systolic/nn/optimizers/optimizer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/nn/config/choice_rows.h"
#include "systolic/nn/optimizers/adadelta.h"
#include "systolic/nn/optimizers/adafactor.h"
#include "systolic/nn/optimizers/adagrad.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/nn/optimizers/adamax.h"
#include "systolic/nn/optimizers/adamw.h"
#include "systolic/nn/optimizers/common/loss_scale.h"
#include "systolic/nn/optimizers/common/loss_scale_optimizer.h"
#include "systolic/nn/optimizers/common/multi_optimizer.h"
#include "systolic/nn/optimizers/common/variable_averages.h"
#include "systolic/nn/optimizers/ftrl.h"
#include "systolic/nn/optimizers/lamb.h"
#include "systolic/nn/optimizers/lion.h"
#include "systolic/nn/optimizers/muon.h"
#include "systolic/nn/optimizers/nadam.h"
#include "systolic/nn/optimizers/optimizer_state.h"
#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/rmsprop.h"
#include "systolic/nn/optimizers/schedule_free_adamw.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/nn/optimizers/update/gradient_accumulation.h"
#include "systolic/nn/optimizers/update/row_gradient.h"
#include "systolic/nn/optimizers/update/update_variables.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/program/trace_and_forget.h"
#include "systolic/trace/replica_context.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace {

struct Row {
  std::string_view name, kind;
  Optimizer (*make)();
  Optimizer (*from_fields)(const Config& values, SourceLocation location);
};

template <class Spec>
constexpr Row row(std::string_view name) {
  return {name, Spec::kind, [] { return Optimizer(Spec{}); },
          [](const Config& values, SourceLocation location) {
            return Optimizer(spec_from<Spec>(values), location);
          }};
}

constexpr Row rows[] = {SYSTOLIC_OPTIMIZERS(SYSTOLIC_ROW)};

void check_gradients(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables,
                     SourceLocation location) {
  if (gradients.size() != variables.size()) {
    raise<InvalidArgument>({.what = str("apply_gradients of ", gradients.size(), " gradients to ",
                                        variables.size(), " variables"),
                            .wanted = "one gradient for each variable",
                            .location = location});
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].shape() == variables[i].shape()) continue;
    raise<InvalidArgument>({.what = str("the gradient for variable '", variables[i].name(),
                                        "' has shape ", gradients[i].shape()),
                            .wanted = str(variables[i].shape()),
                            .location = location});
  }
}

// Where only rows of a table move, the cores' look-ups are put together instead of their tables.
Tensor summed_over_cores(const Tensor& gradient, bool lazy_rows) {
  if (lazy_rows && replica_context().per_core) {
    if (const auto own = row_updates(gradient); own && own->rows.size() > 0) {
      const Tensor nothing = zeros(gradient.shape(), gradient.dtype());
      return scatter_add(nothing, all_gather(own->rows), all_gather(own->updates));
    }
  }
  return all_reduce_sum(gradient);
}

// In the variables' types.
std::vector<Tensor> summed_over_cores(const std::vector<Tensor>& gradients,
                                      const std::vector<Variable>& variables, bool lazy_rows) {
  std::vector<Tensor> result;
  for (size_t i = 0; i < gradients.size(); ++i) {
    result.push_back(cast(summed_over_cores(gradients[i], lazy_rows), variables[i].dtype()));
  }
  return result;
}

void check_weight_decay(const OptimizerRule& rule, SourceLocation location) {
  const double decay = rule.weight_decay.value_or(0);
  if (decay >= 0 && std::isfinite(decay)) return;
  raise<InvalidArgument>({.what = str(rule.name, ": weight_decay is ", decay),
                          .wanted = "0 or more",
                          .location = location});
}

void check_excluded_names(const OptimizerRule& rule, SourceLocation location) {
  const std::vector<std::string>& parts = rule.exclude_from_weight_decay;
  if (std::find(parts.begin(), parts.end(), "") == parts.end()) return;
  raise<InvalidArgument>(
      {.what = str(rule.name, ": exclude_from_weight_decay has \"\", which is in every name"),
       .wanted = "parts of variables' names; without weight decay leave weight_decay 0",
       .location = location});
}

void check_clipping(const GradientClipping& clipping, std::string_view optimizer,
                    SourceLocation location) {
  const std::pair<const char*, std::optional<double>> limits[] = {
      {"clipnorm", clipping.clipnorm},
      {"global_clipnorm", clipping.global_clipnorm},
      {"clipvalue", clipping.clipvalue}};
  std::vector<std::string> given;
  for (const auto& [field, limit] : limits) {
    if (!limit) continue;
    given.push_back(field);
    if (*limit > 0) continue;
    raise<InvalidArgument>({.what = str(optimizer, ": ", field, " is ", *limit),
                            .wanted = "more than 0",
                            .location = location});
  }
  if (given.size() < 2) return;
  raise<InvalidArgument>({.what = str(optimizer, " is given ", join(given)),
                          .wanted = "one way of clipping",
                          .location = location});
}

}  // namespace

std::shared_ptr<OptimizerState> Optimizer::make_state(OptimizerRule rule, SourceLocation location) {
  if (!rule.learning_rate.is_schedule())
    check_learning_rate(rule.name, "learning_rate", rule.learning_rate.value(), location);
  check_clipping(rule.clipping, rule.name, location);
  check_weight_decay(rule, location);
  check_excluded_names(rule, location);
  check_accumulation(rule, location);
  check_average(rule, location);
  check_loss_scale(rule, location);
  auto state = std::make_shared<OptimizerState>();
  state->iterations =
      Variable(DType::i32, {}, [] { return Literal::scalar<int32_t>(0); },
               {.name = "iterations", .trainable = false, .role = ir::Role::optimizer_state});
  const float initial = static_cast<float>(rule.learning_rate.value());
  state->learning_rate =
      Variable(DType::f32, {}, [initial] { return Literal::scalar(initial); },
               {.name = "learning_rate", .trainable = false, .role = ir::Role::optimizer_state});
  state->rule = std::move(rule);
  return state;
}

std::shared_ptr<OptimizerState> Optimizer::state() const {
  if (!state_) state_ = rows[position_].make().state_;
  return state_;
}

Optimizer Optimizer::parse(std::string_view name, SourceLocation location) {
  Optimizer result;
  result.position_ =
      parse_choice(OptimizerNames::subject, name, Choice<OptimizerNames>::known(), location);
  return result;
}

namespace {

// Variables that no other optimizer moves, by gradients of their shapes, summed over the cores.
void apply_own(OptimizerState& state, const Tensor& learning_rate,
               const std::vector<Tensor>& gradients, const std::vector<Variable>& variables,
               SourceLocation location) {
  for (const Variable& variable : variables) state.make_slots(variable);
  OptimizerStep step(state, learning_rate, updates_done(state));
  const auto update = [&](const std::vector<Tensor>& used) {
    update_variables(state, step, used, variables, location);
  };
  if (state.rule.gradient_accumulation_steps > 1) {
    update_with_mean(state, gradients, variables, update, location);
  } else {
    update(gradients);
  }
  if (state.rule.use_ema) update_averages(state, variables);
  constrain(variables);
  state.iterations.assign_add(1);
}

// The optimizer that moves it, where that is another than the one of `state`.
std::shared_ptr<const Optimizer> other_of(const OptimizerState& state, const Variable& variable) {
  if (const auto& own = variable.state()->own_optimizer) return own;
  if (!state.inner_of) return nullptr;
  return std::make_shared<const Optimizer>(state.inner[state.inner_of(variable)]);
}

// Which of a call's variables one optimizer moves: their places in the call.
using Places = std::vector<size_t>;
struct Share {
  std::shared_ptr<const Optimizer> optimizer;
  Places places;
};
struct Shares {
  Places own;
  std::vector<Share> others;
};

Shares shares_of(OptimizerState& state, const std::vector<Variable>& variables) {
  Shares shares;
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto other = other_of(state, variables[i]);
    if (!other || trace_key(*other).get() == &state) {
      shares.own.push_back(i);
      continue;
    }
    state.leave_to_other(variables[i]);
    const auto found = std::find_if(
        shares.others.begin(), shares.others.end(),
        [&](const Share& share) { return trace_key(*share.optimizer) == trace_key(*other); });
    Share& share =
        found != shares.others.end() ? *found : shares.others.emplace_back(Share{other, {}});
    share.places.push_back(i);
  }
  return shares;
}

template <class T>
std::vector<T> at_places(const std::vector<T>& all, const Places& places) {
  std::vector<T> result;
  for (const size_t place : places) result.push_back(all[place]);
  return result;
}

}  // namespace

void Optimizer::apply_gradients(const std::vector<Tensor>& gradients,
                                const std::vector<Variable>& variables,
                                SourceLocation location) const {
  check_gradients(gradients, variables, location);
  // What profiles call it; an optimizer of several applies those within.
  std::optional<LayerScope> scope;
  if (*LayerScope::path() == '\0') scope.emplace("optimizer");
  OptimizerState& state = *this->state();
  const Shares shares = shares_of(state, variables);
  const std::vector<Variable> own = at_places(variables, shares.own);
  std::vector<std::vector<Tensor>> used{
      summed_over_cores(at_places(gradients, shares.own), own, state.rule.lazy_rows)};
  for (const Share& share : shares.others) used.push_back(at_places(gradients, share.places));
  std::vector<std::vector<Tensor>*> all;
  for (std::vector<Tensor>& some : used) all.push_back(&some);
  with_unscaled(state, all, [&] {
    for (size_t i = 0; i < shares.others.size(); ++i) {
      const Share& share = shares.others[i];
      share.optimizer->apply_gradients(used[i + 1], at_places(variables, share.places), location);
    }
    apply_own(state, learning_rate(), used[0], own, location);
  });
}

void Optimizer::apply_gradients(
    const std::vector<std::pair<Tensor, Variable>>& gradients_and_variables,
    SourceLocation location) const {
  std::vector<Tensor> gradients;
  std::vector<Variable> variables;
  for (const auto& [gradient, variable] : gradients_and_variables) {
    gradients.push_back(gradient);
    variables.push_back(variable);
  }
  apply_gradients(gradients, variables, location);
}

Config Optimizer::get_config() const { return state()->rule.config(); }

namespace {

Optimizer loss_scale_from(const Config& values, SourceLocation location) {
  LossScaleOptimizer spec{.inner_optimizer =
                              Optimizer::from_config(values["inner_optimizer"], location)};
  if (const Config* scale = values.find("initial_scale")) spec.initial_scale = scale->number();
  if (const Config* steps = values.find("dynamic_growth_steps"))
    spec.dynamic_growth_steps = steps->integer();
  if (const Config* name = values.find("name")) spec.name = name->text_value();
  return Optimizer(std::move(spec), location);
}

Optimizer multi_from(const Config& values, SourceLocation location) {
  MultiOptimizer spec{.default_optimizer =
                          Optimizer::from_config(values["default_optimizer"], location)};
  for (const auto& [key, one] : values["optimizer_map"].map())
    spec.optimizers.emplace_back(key, Optimizer::from_config(one, location));
  if (const Config* name = values.find("name")) spec.name = name->text_value();
  return Optimizer(std::move(spec), location);
}

}  // namespace

Optimizer Optimizer::from_config(const Config& config, SourceLocation location) {
  if (config.is_text()) return parse(config.text_value(), location);
  const Config& kind = config["class_name"];
  if (kind == Config(LossScaleOptimizer::kind)) return loss_scale_from(config["config"], location);
  if (kind == Config(MultiOptimizer::kind)) return multi_from(config["config"], location);
  return row_of_kind(rows, OptimizerNames::subject, config, location)
      .from_fields(config["config"], location);
}

Config to_config(const GradientClipping& clipping) {
  Config config;
  config.set("clipnorm", to_config(clipping.clipnorm));
  config.set("global_clipnorm", to_config(clipping.global_clipnorm));
  config.set("clipvalue", to_config(clipping.clipvalue));
  return config;
}

void from_config(const Config& config, GradientClipping& clipping) {
  clipping = {};
  if (const Config* value = config.find("clipnorm")) from_config(*value, clipping.clipnorm);
  if (const Config* value = config.find("global_clipnorm"))
    from_config(*value, clipping.global_clipnorm);
  if (const Config* value = config.find("clipvalue")) from_config(*value, clipping.clipvalue);
}

std::string Optimizer::name() const { return state()->rule.name; }
Variable Optimizer::iterations() const { return state()->iterations; }
bool Optimizer::has_schedule() const { return state()->rule.learning_rate.is_schedule(); }

Tensor Optimizer::learning_rate() const {
  const auto state = this->state();
  const LearningRate& rate = state->rule.learning_rate;
  if (!rate.is_schedule()) return state->learning_rate.value();
  return rate.at(cast(state->iterations.value(), DType::f32));
}

void Optimizer::set_learning_rate(double value, SourceLocation location) const {
  if (has_schedule()) {
    raise<FailedPrecondition>(
        {.what = str("set_learning_rate of an ", name(), " whose learning rate follows a schedule"),
         .hint = "make the optimizer with a number as learning rate",
         .location = location});
  }
  check_learning_rate(name(), "learning_rate", value, location);
  state()->learning_rate.set(Literal::scalar(static_cast<float>(value)), location);
}

std::optional<Optimizer> Optimizer::claimed_by(const std::shared_ptr<const void>& owner) const {
  const auto state = this->state();
  for (const Optimizer& inner : state->inner) {
    if (!inner.claimed_by(owner)) return std::nullopt;
  }
  if (!state->owner) state->owner = owner;
  // Equal to one that is gone, too.
  if (!state->owner->owner_before(owner) && !owner.owner_before(*state->owner)) return *this;
  if (position_ < 0) return std::nullopt;
  Optimizer named;
  named.position_ = position_;
  return named.claimed_by(owner);
}

std::vector<std::pair<std::string, Variable>> Optimizer::named_variables() const {
  const auto state = this->state();
  std::vector<std::pair<std::string, Variable>> result{{"iterations", state->iterations},
                                                       {"learning_rate", state->learning_rate}};
  for (const OptimizerState::Slots& own : state->slots) {
    for (const auto& [name, slot] : own.slots) {
      result.emplace_back(str(own.name, "/", name), slot);
    }
  }
  if (state->dynamic_scale) {
    result.emplace_back("step_counter", state->dynamic_scale->counter);
    result.emplace_back("dynamic_scale", state->dynamic_scale->scale);
  }
  for (size_t i = 0; i < state->inner.size(); ++i) {
    for (const auto& [name, one] : state->inner[i].named_variables()) {
      const bool is_slot = name.find('/') != std::string::npos;
      result.emplace_back(is_slot ? name : str("optimizer_", i, "/", name), one);
    }
  }
  for (const Variable& variable : state->left_to_others) {
    const auto other = variable.state()->own_optimizer;
    if (!other) continue;
    for (const auto& [name, one] : other->named_variables()) {
      const bool is_slot = name.starts_with(variable.name() + "/");
      result.emplace_back(is_slot ? name : str(variable.name(), "/", name), one);
    }
  }
  return result;
}

std::vector<Variable> Optimizer::variables() const {
  std::vector<Variable> result;
  for (const auto& entry : named_variables()) result.push_back(entry.second);
  return result;
}

namespace {

// An optimizer of the user's that does not declare its slots: an update that is traced and thrown
// away makes them.
void trace_update(const Optimizer& optimizer, const std::vector<Variable>& variables) {
  const ReplicaContextScope one_core(ReplicaContext{});
  std::vector<ir::Type> types;
  for (const Variable& variable : variables) types.push_back({variable.dtype(), variable.shape()});
  trace_and_forget(types, [&](const std::vector<Tensor>& gradients) {
    optimizer.apply_gradients(gradients, variables);
    return std::vector<Tensor>{};
  });
}

}  // namespace

void Optimizer::build(const std::vector<Variable>& variables) const {
  OptimizerState& state = *this->state();
  const Shares shares = shares_of(state, variables);
  for (const Share& share : shares.others)
    share.optimizer->build(at_places(variables, share.places));
  if (shares.own.empty()) return;
  const std::vector<Variable> own = at_places(variables, shares.own);
  if (!state.rule.slots) return trace_update(*this, own);
  if (state.rule.gradient_accumulation_steps > 1) check_same_variables(state, own, {});
  for (const Variable& variable : own) state.make_slots(variable);
}

}  // namespace systolic::inline v0
