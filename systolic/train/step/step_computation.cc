#include "systolic/train/step/step_computation.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Rows that only pad count nothing, the others alike.
std::optional<Tensor> real_rows(const StepTensors& step) {
  return step.mask ? std::optional<Tensor>(cast(*step.mask, DType::f32)) : std::nullopt;
}

// Rows that only pad count nothing, the others by their sample weight.
std::optional<Tensor> weighted_rows(const StepTensors& step, size_t output) {
  const std::optional<Tensor> real = real_rows(step), weights = step.weights_of(output);
  if (!weights) return real;
  if (!real) return weights;
  return where(with_axes(*step.mask, weights->rank()), *weights, 0.0);
}

// Of the model's own loss: the places that an input says count. [batch, ...], pred.
std::optional<Tensor> counted_places(const ModelState& model, const StepTensors& step) {
  const std::string& name = model.own_loss.counted_input;
  if (!model.takes_own_loss || name.empty()) return std::nullopt;
  const std::vector<NetworkPort> ports = model.network.input_ports();
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name == name) return step.inputs.at(i) == 1;
  }
  return std::nullopt;
}

// One for each output, or one for all.
template <class T>
const T& of_output(const std::vector<T>& values, size_t i, size_t outputs, std::string_view field) {
  if (values.size() != 1 && values.size() != outputs) {
    raise<InvalidArgument>(
        {.what = str("compile was given ", values.size(), " ", field, " for a model with ", outputs,
                     outputs == 1 ? " output" : " outputs"),
         .wanted = "one, or one for each output"});
  }
  return values[values.size() == 1 ? 0 : i];
}

// What the labels of an output are called, where it is one of several.
std::string label_name(const ModelState& model, size_t output) {
  const std::vector<std::string>& own = model.own_loss.label_names;
  if (output < own.size()) return own[output];
  const std::vector<NetworkPort> ports = model.network.output_ports();
  return output < ports.size() ? ports[output].name : str(output);
}

// What it raises says of which of several outputs the labels are.
Tensor loss_of_output(const ModelState& model, size_t output, size_t outputs,
                      const std::function<Tensor()>& loss) {
  if (outputs == 1) return loss();
  try {
    return loss();
  } catch (const Error& error) {
    error.rethrow_within(str("labels '", label_name(model, output), "'"));
  }
}

struct ComputedLosses {
  Tensor total;
  std::vector<Tensor> outputs;  // without their weights
};

// What a call of the network gave.
struct Predicted {
  std::vector<Tensor> values;                     // of each output
  std::vector<std::optional<Tensor>> step_masks;  // of each output: its steps that are real
  std::vector<Tensor> extra_losses;               // that layers gave
};

Predicted predicted_by(const ModelState& model, const StepTensors& step, bool training) {
  Predicted result;
  result.values = model.network.outputs(step.inputs, {.training = training,
                                                      .sample_mask = step.mask,
                                                      .losses = &result.extra_losses,
                                                      .step_masks = &result.step_masks});
  return result;
}

// The losses of the outputs, and those that layers gave themselves.
ComputedLosses losses_of(const ModelState& model, const StepTensors& step,
                         const Predicted& predicted) {
  ComputedLosses losses;
  std::vector<Tensor> parts = predicted.extra_losses;
  const std::vector<Tensor>& predictions = predicted.values;
  const size_t outputs = predictions.size();
  const std::optional<Tensor> mask = both_masks(step.mask, counted_places(model, step));
  for (size_t i = 0; i < outputs && !model.losses.empty(); ++i) {
    const LossFunction& function = of_output(model.losses, i, outputs, "losses");
    const Tensor loss = loss_of_output(model, i, outputs, [&] {
      return function(step.labels.at(i), predictions[i],
                      {.sample_weight = step.weights_of(i),
                       .mask = mask,
                       .step_mask = predicted.step_masks[i]});
    });
    losses.outputs.push_back(loss);
    const double weight =
        model.loss_weights.empty() ? 1 : of_output(model.loss_weights, i, outputs, "loss_weights");
    parts.push_back(weight == 1 ? loss : loss * weight);
  }
  if (parts.empty()) {
    raise<FailedPrecondition>({.what = "the model has no loss",
                               .hint = "compile({.loss = ...}), or add_loss in a layer"});
  }
  losses.total = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) losses.total = losses.total + parts[i];
  return losses;
}

// What a metric compares, and what each of it weighs.
struct Compared {
  Tensor labels, predictions;
  std::optional<Tensor> weights;
};

// Each place that counts is a sample of its own: how long the rows of a batch are padded changes
// nothing. Those that do not count have no weight.
Compared places_apart(const Compared& rows, const Tensor& counts) {
  const Tensor weights = rows.weights
                             ? where(counts, weights_like(*rows.weights, counts.shape()), 0.0)
                             : cast(counts, DType::f32);
  const int64_t places = counts.size();
  return {reshape(rows.labels, {places}),
          reshape(rows.predictions, {places, rows.predictions.size() / places}),
          reshape(weights, {places})};
}

// Steps that a layer masked have no weight.
void leave_out(const std::optional<Tensor>& step_mask, Compared& rows) {
  if (!step_mask || rows.predictions.rank() < 3) return;
  rows.labels = labels_of_steps(rows.labels, rows.predictions, step_mask);
  rows.weights = rows.weights
                     ? where(*step_mask, weights_like(*rows.weights, step_mask->shape()), 0.0)
                     : cast(*step_mask, DType::f32);
}

Compared compared_with(const ModelState& model, const StepTensors& step, const Tensor& prediction,
                       const std::optional<Tensor>& step_mask, const OutputMetric& metric) {
  const size_t output = metric.output;
  Compared rows{step.labels[output], prediction,
                metric.weighted ? weighted_rows(step, output) : real_rows(step)};
  leave_out(step_mask, rows);
  // A function of the user's gets what the step has.
  if (!model.takes_own_loss || model.losses.empty() || metric.metric.is_function()) return rows;
  const LossFunction& loss = of_output(model.losses, output, step.labels.size(), "losses");
  const std::optional<Tensor> counts =
      both_masks(counted_places(model, step), loss.mask(rows.labels, prediction));
  if (model.own_loss.compared) rows.labels = model.own_loss.compared(rows.labels);
  return counts && rows.labels.size() == counts->size() ? places_apart(rows, *counts) : rows;
}

// What a metric raises says which it was.
template <class Body>
void within_metric(const Metric& metric, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    const bool named = error.report().what.find(metric.name()) != std::string::npos;
    error.rethrow_within(named ? "" : str("metric '", metric.name(), "'"));
  }
}

// Of weights that say more than which rows pad a batch; those a metric without them is not given.
void warn_of_weights(const std::string& metric) {
  log_once(
      LogLevel::warning,
      str("metric '", metric,
          "' does not look at options.sample_weight: sample weights, masked steps, and labels "
          "that do not count make no difference to it (metrics/metric.h says how they are used)"));
}

Tensor first_rows(const Tensor& x, int64_t rows) {
  Shape size = x.shape();
  size.set(0, rows);
  return slice(x, Shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0)), size);
}

// Whether a metric gets the real rows alone, as it does not leave the others out itself.
bool is_cut_for(const ModelState& model, size_t metric, const StepTensors& step) {
  return step.mask && step.real_rows > 0 && model.metrics_without_weights &&
         model.metrics_without_weights->at(metric);
}

Compared compared_without_padding(const ModelState& model, const StepTensors& step,
                                  const Predicted& predicted, const OutputMetric& metric) {
  std::optional<Tensor> step_mask = predicted.step_masks[metric.output];
  if (step_mask) step_mask = first_rows(*step_mask, step.real_rows);
  return compared_with(model, without_padding(step, step.real_rows),
                       first_rows(predicted.values[metric.output], step.real_rows), step_mask,
                       metric);
}

void update_metrics(const ModelState& model, const StepTensors& step, const Predicted& predicted,
                    const ComputedLosses& losses) {
  const std::vector<Tensor>& predictions = predicted.values;
  // The epoch's loss is the mean over samples: a short last batch counts less.
  const Tensor samples = step.mask ? sum(cast(*step.mask, DType::f32))
                                   : fill({}, static_cast<double>(step.inputs.front().shape()[0]));
  model.loss_metric.update_state(losses.total, {.sample_weight = samples});
  for (size_t i = 0; i < model.output_losses.size(); ++i)
    model.output_losses[i].update_state(losses.outputs.at(i), {.sample_weight = samples});
  for (size_t i = 0; i < model.metrics.size(); ++i) {
    const OutputMetric& one = model.metrics[i];
    if (one.output >= predictions.size()) {
      raise<InvalidArgument>({.what = str("compile was given metrics for ", one.output + 1,
                                          " outputs, the model has ", predictions.size())});
    }
    const Compared compared = is_cut_for(model, i, step)
                                  ? compared_without_padding(model, step, predicted, one)
                                  : compared_with(model, step, predictions[one.output],
                                                  predicted.step_masks[one.output], one);
    const SampleWeight weight = compared.weights;
    within_metric(one.metric, [&] {
      one.metric.update_state(compared.labels, compared.predictions, {.sample_weight = weight});
    });
    if (compared.weights && !weight.was_looked_at()) warn_of_weights(one.metric.name());
  }
}

// In the order in which a step makes them: the inputs, what layers give, the loss.
void watch(const ModelState& model, const StepTensors& step, const std::vector<LayerOutput>& layers,
           const Tensor& loss) {
  std::vector<LayerOutput> values;
  const std::vector<NetworkPort> ports = model.network.input_ports();
  for (size_t i = 0; i < step.inputs.size(); ++i)
    values.push_back({str("the input '", ports[i].name, "'"), step.inputs[i]});
  for (const LayerOutput& one : layers)
    values.push_back({str("the output of layer '", one.layer, "'"), one.value});
  values.push_back({"the loss, of finite outputs: look at the labels and sample weights", loss});
  model.finite_watch->add_to_step(values);
}

Tensor train_once(const ModelState& model, const StepTensors& step) {
  const std::vector<Variable> variables = model.network.trainable_variables();
  std::optional<LayerOutputsScope> layers;
  if (model.finite_watch) layers.emplace();
  GradientTape tape;
  const Predicted predicted = predicted_by(model, step, true);
  const ComputedLosses losses = losses_of(model, step, predicted);
  model.optimizer->apply_gradients(tape.gradient(losses.total, variables, model.compiled_at),
                                   variables);
  update_metrics(model, step, predicted, losses);
  if (layers) watch(model, step, layers->outputs(), losses.total);
  return losses.total;
}

Tensor evaluate_once(const ModelState& model, const StepTensors& step) {
  const Predicted predicted = predicted_by(model, step, false);
  const ComputedLosses losses = losses_of(model, step, predicted);
  update_metrics(model, step, predicted, losses);
  return losses.total;
}

}  // namespace

StepTensors without_padding(StepTensors step, int64_t rows) {
  for (Tensor& x : step.inputs) x = first_rows(x, rows);
  for (Tensor& y : step.labels) y = first_rows(y, rows);
  for (Tensor& weights : step.weights) weights = first_rows(weights, rows);
  step.mask.reset();
  return step;
}

std::vector<bool> metrics_without_weights(const ModelState& model, const StepTensors& step) {
  std::vector<bool> result(model.metrics.size());
  const Predicted predicted = predicted_by(model, step, false);
  losses_of(model, step, predicted);  // labels that do not fit are its to refuse
  for (size_t i = 0; i < model.metrics.size(); ++i) {
    const OutputMetric& one = model.metrics[i];
    if (one.output >= predicted.values.size() || one.output >= step.labels.size()) continue;
    const Compared compared = compared_with(model, step, predicted.values[one.output],
                                            predicted.step_masks[one.output], one);
    within_metric(one.metric, [&] {
      result[i] = compared.weights && !one.metric.looks_at_weight(
                                          compared.labels, compared.predictions, *compared.weights);
    });
  }
  return result;
}

StepTensors taken_apart(const std::vector<Tensor>& tensors, const StepInput& input) {
  StepTensors step;
  auto next = tensors.begin();
  step.inputs.assign(next, next + static_cast<std::ptrdiff_t>(input.inputs));
  next += static_cast<std::ptrdiff_t>(input.inputs);
  step.labels.assign(next, next + static_cast<std::ptrdiff_t>(input.labels));
  next += static_cast<std::ptrdiff_t>(input.labels);
  for (size_t i = 0; i < input.weights; ++i) step.weights.push_back(cast(*next++, DType::f32));
  if (input.mask) step.mask = *next, step.real_rows = input.real_rows;
  return step;
}

Tensor compute_step(const ModelState& model, StepKind kind, const StepTensors& step) {
  return kind == StepKind::train ? train_once(model, step) : evaluate_once(model, step);
}

}  // namespace systolic::inline v0
