#include "systolic/train/step/step_computation.h"

#include <cstddef>
#include <string>

#include "systolic/base/error.h"
#include "systolic/nn/layer_outputs.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/train/step/own_step_call.h"
#include "systolic/train/step/step_metrics.h"
#include "systolic/train/step/step_outputs.h"

namespace systolic::inline v0 {
namespace {

// In the order in which a step makes them: the inputs, what layers give, the loss.
void watch(const ModelState& model, const StepTensors& step, const std::vector<LayerOutput>& layers,
           const Tensor& loss) {
  std::vector<LayerOutput> values;
  const std::vector<NetworkPort> ports = model.network().input_ports();
  for (size_t i = 0; i < step.inputs.size(); ++i)
    values.push_back({str("the input '", ports[i].name, "'"), step.inputs[i]});
  for (const LayerOutput& one : layers)
    values.push_back({str("the output of layer '", one.layer, "'"), one.value});
  values.push_back({"the loss, of finite outputs: look at the labels and sample weights", loss});
  model.finite_watch()->add_to_step(values);
}

Tensor train_once(const ModelState& model, const StepTensors& step) {
  const std::vector<Variable> variables = model.network().trainable_variables();
  std::optional<LayerOutputsScope> layers;
  if (model.finite_watch()) layers.emplace();
  GradientTape tape;
  const StepOutputs predicted = call_network(model, step, true);
  const ComputedLosses losses = compute_losses(model, step.labels, predicted);
  model.compiled().optimizer->apply_gradients(
      tape.gradient(model.compiled().optimizer->scale_loss(losses.total), variables,
                    model.compiled().at),
      variables);
  update_metrics(model, step, predicted, losses);
  if (layers) watch(model, step, layers->outputs(), losses.total);
  return losses.total;
}

Tensor evaluate_once(const ModelState& model, const StepTensors& step) {
  const StepOutputs predicted = call_network(model, step, false);
  const ComputedLosses losses = compute_losses(model, step.labels, predicted);
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

StepTensors unpack_step(const std::vector<Tensor>& tensors, const StepInput& input) {
  const LayerScope scope("input");  // what profiles call it
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
  if (BoundStep* own = model.compiled().own_step(kind)) return run_own_step(model, *own, step);
  return kind == StepKind::train ? train_once(model, step) : evaluate_once(model, step);
}

}  // namespace systolic::inline v0
