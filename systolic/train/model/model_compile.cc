// Model::compile: what training needs, brought into the order of the model's outputs.
#include <cmath>
#include <optional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/optimizers/common/loss_scale_optimizer.h"
#include "systolic/train/model/model.h"
#include "systolic/train/state/model_view.h"

namespace systolic::inline v0 {
namespace {

// Empty before the network is built: then it is a chain of layers with one output.
std::vector<std::string> output_names(const Network& network) {
  std::vector<std::string> names;
  if (!network.built()) return names;
  for (const NetworkPort& port : network.output_ports()) names.push_back(port.name);
  return names;
}

// One for all outputs or one for each.
void check_one_for_each(std::string_view field, size_t count, size_t outputs,
                        SourceLocation location) {
  if (outputs == 0 || count <= 1 || count == outputs) return;
  raise<InvalidArgument>({.what = str("compile was given ", count, " ", field, " for a model with ",
                                      outputs, outputs == 1 ? " output" : " outputs"),
                          .wanted = "one, or one for each output",
                          .location = location});
}

// Those that `loss` does not name have none, and need no labels.
std::vector<std::optional<LossFunction>> losses_in_order(const ModelLoss& loss,
                                                         const std::vector<std::string>& outputs,
                                                         SourceLocation location) {
  const OutputValues<LossFunction> given = loss.get();
  if (given.names().empty()) {
    check_one_for_each("losses", given.values().size(), outputs.size(), location);
    return {given.values().begin(), given.values().end()};
  }
  const std::vector<size_t> places = output_places("loss", given.names(), outputs, location);
  std::vector<std::optional<LossFunction>> losses(outputs.size());
  for (size_t i = 0; i < places.size(); ++i) losses[places[i]] = given.values()[i];
  return losses;
}

void check_finite_weight(double weight, SourceLocation location) {
  if (std::isfinite(weight)) return;
  raise<InvalidArgument>({.what = str("compile: a weight of loss_weights is ", weight),
                          .wanted = "a finite number",
                          .location = location});
}

std::vector<double> weights_in_order(const OutputValues<double>& given,
                                     const std::vector<std::string>& outputs,
                                     SourceLocation location) {
  for (const double weight : given.values()) check_finite_weight(weight, location);
  if (given.names().empty()) {
    check_one_for_each("loss_weights", given.values().size(), outputs.size(), location);
    return given.values();
  }
  const std::vector<size_t> places =
      output_places("loss_weights", given.names(), outputs, location);
  std::vector<double> weights(outputs.size(), 1.0);
  for (size_t i = 0; i < places.size(); ++i) weights[places[i]] = given.values()[i];
  return weights;
}

void add_metrics(std::vector<OutputMetric>& result, std::string_view field,
                 const ModelMetrics& metrics, bool weighted,
                 const std::vector<std::string>& outputs, SourceLocation location) {
  for (const Metric& metric : metrics.of_first())
    result.push_back({.metric = metric, .weighted = weighted});
  std::vector<std::string> names;
  for (const OutputMetrics& one : metrics.by_output()) names.push_back(one.output);
  const std::vector<size_t> places = output_places(field, names, outputs, location);
  for (size_t i = 0; i < places.size(); ++i) {
    for (const Metric& metric : metrics.by_output()[i].metrics) {
      result.push_back({.metric = metric,
                        .output = places[i],
                        .named_after_output = outputs.size() > 1,
                        .weighted = weighted});
    }
  }
}

std::vector<OutputMetric> all_metrics(const CompileOptions& options,
                                      const std::vector<std::string>& outputs,
                                      SourceLocation location) {
  const auto& each = options.output_metrics;
  if (!outputs.empty() && each.size() > outputs.size()) {
    raise<InvalidArgument>({.what = str("compile was given output_metrics for ", each.size(),
                                        " outputs, the model has ", outputs.size()),
                            .location = location});
  }
  std::vector<OutputMetric> result;
  add_metrics(result, "metrics", options.metrics, false, outputs, location);
  for (size_t i = 0; i < each.size(); ++i) {
    for (const Metric& metric : each[i])
      result.push_back({.metric = metric, .output = i, .named_after_output = true});
  }
  add_metrics(result, "weighted_metrics", options.weighted_metrics, true, outputs, location);
  return result;
}

// Keras's "kind_loss": which output the loss comes from, where it comes from several.
std::vector<Metric> output_loss_metrics(const Compiled& compiled,
                                        const std::vector<std::string>& outputs) {
  std::vector<Metric> metrics;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (compiled.loss_of(i) != nullptr) metrics.push_back(Mean{.name = outputs[i] + "_loss"});
  }
  return metrics.size() > 1 ? metrics : std::vector<Metric>{};
}

// Probabilities that are taken of logits are some number, too: a loss that does not fall.
void warn_of_logits(const ModelState& model, const Compiled& compiled) {
  if (!model.own_loss().gives_logits) return;
  const auto warn = [&](const char* what, const std::string& name) {
    publish_warning(str("compile: the ", what, " '", name, "' takes probabilities, and '",
                        model.network().name(), "' gives logits: {.from_logits = true}",
                        compiled.takes_own_loss ? "" : ", or no loss: the model has one"),
                    true);
  };
  for (const std::optional<LossFunction>& loss : compiled.losses) {
    if (loss && loss->from_logits() == false) warn("loss", loss->name());
  }
  for (const OutputMetric& one : compiled.metrics) {
    if (one.metric.from_logits() == false) warn("metric", one.metric.name());
  }
}

// A single loss is the first output's: others, such as hidden states, are only given.
void take_own_loss(Compiled& compiled, const OwnLoss& own, size_t outputs) {
  compiled.takes_own_loss = true;
  compiled.losses.assign(own.losses.begin(), own.losses.end());
  if (!own.losses.empty() && own.losses.size() < outputs) compiled.losses.resize(outputs);
  if (compiled.loss_weights.empty()) compiled.loss_weights = own.weights;
  if (!compiled.loss_weights.empty() && compiled.loss_weights.size() < outputs)
    compiled.loss_weights.resize(outputs, 1);
}

Optimizer optimizer_for(const std::shared_ptr<ModelState>& model, const Optimizer& optimizer,
                        SourceLocation location) {
  if (std::optional<Optimizer> own = optimizer.claimed_by(model)) return *own;
  raise<InvalidArgument>(
      {.what = str("compile: the optimizer ", optimizer.name(), " is another model's"),
       .wanted = "one for each model: it counts steps, and follows a schedule, for what it updates",
       .hint = "write .optimizer = Adam{...} in each compile(), not one Optimizer, or "
               "CompileOptions with one, for several models",
       .location = location});
}

// f16's small gradients vanish without a scale.
Optimizer with_loss_scale(const ModelState& model, const Optimizer& optimizer,
                          SourceLocation location) {
  const bool half = model.network().state()->policy.compute_dtype() == DType::f16 &&
                    model.network().state()->policy.variable_dtype() == DType::f32;
  if (!half || !optimizer.takes_loss_scale()) return optimizer;
  return Optimizer(LossScaleOptimizer{.inner_optimizer = optimizer}, location);
}

// Holds the model weakly: the model holds the step.
std::shared_ptr<BoundStep> bound(const OwnStep& step, const std::shared_ptr<ModelState>& state,
                                 Model (*handle)(std::shared_ptr<ModelState>)) {
  if (!step) return nullptr;
  const std::weak_ptr<ModelState> weak = state;
  auto bound = std::make_shared<BoundStep>();
  bound->call = [step, weak, handle](StepCall& call) { return step(handle(weak.lock()), call); };
  return bound;
}

}  // namespace

void Model::compile(Optimizer optimizer, ModelLoss loss, ModelMetrics metrics,
                    SourceLocation location) {
  compile(
      {.optimizer = std::move(optimizer), .loss = std::move(loss), .metrics = std::move(metrics)},
      location);
}

void Model::compile(CompileOptions options, SourceLocation location) {
  if (options.steps_per_execution < 1) {
    raise<InvalidArgument>({.what = str("steps_per_execution = ", options.steps_per_execution),
                            .wanted = "1 or more",
                            .location = location});
  }
  const ModelView held(*state_);
  const std::vector<std::string> outputs = output_names(state_->network());
  Compiled compiled{.at = location,
                    .losses = losses_in_order(options.loss, outputs, location),
                    .loss_weights = weights_in_order(options.loss_weights, outputs, location),
                    .metrics = all_metrics(options, outputs, location),
                    .steps_per_execution = options.run_eagerly ? 1 : options.steps_per_execution,
                    .run_eagerly = options.run_eagerly,
                    .strict_shapes = options.strict_shapes,
                    .matmul_precision = options.matmul_precision,
                    .step_metrics = options.step_metrics};
  const auto handle = [](std::shared_ptr<ModelState> state) { return Model(std::move(state)); };
  const OwnSteps& own = state_->own_steps();
  compiled.train_step = bound(options.train_step ? options.train_step : own.train, state_, handle);
  compiled.test_step = bound(options.test_step ? options.test_step : own.test, state_, handle);
  compiled.step_metrics.insert(compiled.step_metrics.end(), own.metrics.begin(), own.metrics.end());
  if (compiled.losses.empty()) {
    take_own_loss(compiled, state_->own_loss(), outputs.size());
  } else {
    compiled.output_losses = output_loss_metrics(compiled, outputs);
  }
  // What is wrong has changed nothing, neither the optimizer nor the model.
  compiled.optimizer = optimizer_for(state_, options.optimizer, location);
  if (options.auto_scale_loss)
    compiled.optimizer = with_loss_scale(*state_, *compiled.optimizer, location);
  warn_of_logits(*state_, compiled);
  if (options.jit_compile.off() && !options.run_eagerly) {
    publish(events::Notice{
        {.text = "jit_compile = false: a step is one compiled program all the same, as on every "
                 "TPU. run_eagerly = true runs it op by op, to find faults."}});
  }
  state_->compile(std::move(compiled));
}

}  // namespace systolic::inline v0
