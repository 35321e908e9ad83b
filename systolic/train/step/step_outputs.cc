#include "systolic/train/step/step_outputs.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/step_mask.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace {

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
  const std::vector<std::string>& own = model.own_loss().label_names;
  if (output < own.size()) return own[output];
  const std::vector<NetworkPort> ports = model.network().output_ports();
  return output < ports.size() ? ports[output].name : str(output);
}

// What it raises says of which of several outputs the labels are.
Tensor within_labels(const ModelState& model, size_t output, size_t outputs,
                     const std::function<Tensor()>& loss) {
  if (outputs == 1) return loss();
  try {
    return loss();
  } catch (const Error& error) {
    error.rethrow_within(str("labels '", label_name(model, output), "'"));
  }
}

}  // namespace

StepOutputs call_network(const ModelState& model, const StepTensors& step, bool training,
                         std::vector<IntegerRange>* ranges) {
  StepOutputs result;
  const std::vector<Tensor> values =
      model.network().outputs(step.inputs, {.training = training,
                                            .sample_mask = step.mask,
                                            .losses = &result.layer_losses,
                                            .metrics = &result.layer_metrics,
                                            .integer_ranges = ranges});
  for (size_t i = 0; i < values.size(); ++i) {
    result.outputs.push_back({.values = values[i],
                              .sample_weight = step.weights_of(model.compiled().place_of_labels(i)),
                              .mask = step.mask,
                              .step_mask = step_mask_of(values[i]),
                              .real_rows = step.real_rows});
  }
  return result;
}

const std::optional<LossFunction>& loss_of_output(const ModelState& model, size_t output,
                                                  size_t outputs) {
  return of_output(model.compiled().losses, output, outputs, "losses");
}

ComputedLosses compute_losses(const ModelState& model, const std::vector<Tensor>& labels,
                              const StepOutputs& predicted) {
  const LayerScope scope("loss");  // what profiles call it
  ComputedLosses losses;
  std::vector<Tensor> parts = predicted.layer_losses;
  const size_t outputs = predicted.outputs.size();
  for (size_t i = 0; i < outputs && !model.compiled().losses.empty(); ++i) {
    const std::optional<LossFunction>& function = loss_of_output(model, i, outputs);
    if (!function) continue;
    const Tensor& y_true = labels.at(model.compiled().place_of_labels(i));
    const Tensor loss =
        within_labels(model, i, outputs, [&] { return (*function)(y_true, predicted.outputs[i]); });
    losses.outputs.push_back(loss);
    const double weight =
        model.compiled().loss_weights.empty()
            ? 1
            : of_output(model.compiled().loss_weights, i, outputs, "loss_weights");
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

}  // namespace systolic::inline v0
