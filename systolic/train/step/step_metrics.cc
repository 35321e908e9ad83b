#include "systolic/train/step/step_metrics.h"

#include <algorithm>
#include <string>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

// Whether the metric is known not to count by the samples' weights, so that it gets the real rows
// of a padded batch alone.
bool ignores_sample_weight(const ModelState& model, size_t metric) {
  return model.compiled().metrics_without_weights &&
         model.compiled().metrics_without_weights->at(metric);
}

void warn_of_weights(const std::string& metric) {
  publish_warning(
      str("metric '", metric,
          "' does not look at options.sample_weight: sample weights, masked steps, and labels "
          "that do not count make no difference to it (metrics/metric.h says how they are used)"),
      true);
}

Tensor samples_of(const StepTensors& step) {
  return step.mask ? sum(cast(*step.mask, DType::f32))
                   : fill({}, static_cast<double>(step.inputs.front().shape()[0]));
}

// The epoch's loss is the mean over samples: a short last batch counts less.
void update_losses(const ModelState& model, const StepTensors& step, const ComputedLosses& losses) {
  const Tensor samples = samples_of(step);
  model.compiled().loss_metric.update_state(losses.total, {.sample_weight = samples});
  for (size_t i = 0; i < model.compiled().output_losses.size(); ++i)
    model.compiled().output_losses[i].update_state(losses.outputs.at(i),
                                                   {.sample_weight = samples});
}

void update_layer_metrics(const ModelState& model, const StepTensors& step,
                          const StepOutputs& predicted) {
  if (predicted.layer_metrics.empty()) return;
  const Tensor samples = samples_of(step);
  const std::vector<Metric> means = layer_metrics(model);
  for (const auto& [name, value] : predicted.layer_metrics) {
    for (const Metric& mean : means) {
      if (mean.name() == name) mean.update_state(value, {.sample_weight = samples});
    }
  }
}

// With a model's own loss, a metric compares what the loss compares, and each place that the loss
// counts weighs the same. A function of the user's gets what the step has.
Compared as_own_loss_counts(const ModelState& model, const OutputMetric& metric, size_t outputs,
                            Compared rows) {
  if (!model.compiled().takes_own_loss || model.compiled().losses.empty() ||
      metric.metric.is_function())
    return rows;
  const std::optional<LossFunction>& loss = loss_of_output(model, metric.output, outputs);
  if (!loss) return rows;
  const std::optional<Tensor> counts = loss->mask(rows.labels, rows.predictions);
  if (model.own_loss().compared) rows.labels = model.own_loss().compared(rows.labels);
  return counts && rows.labels.size() == counts->size() ? each_place_a_sample(rows, *counts) : rows;
}

Compared compared_rows(const ModelState& model, const OutputMetric& metric,
                       const std::vector<Tensor>& labels, const StepOutputs& predicted,
                       bool real_rows_alone) {
  Predictions output = predicted.outputs.at(metric.output);
  if (!metric.weighted) output.sample_weight.reset();
  const Tensor& y_true = labels.at(model.compiled().place_of_labels(metric.output));
  return as_own_loss_counts(
      model, metric, predicted.outputs.size(),
      real_rows_alone ? compared_real_rows(y_true, output) : compared(y_true, output));
}

}  // namespace

std::vector<Metric> layer_metrics(const ModelState& model) {
  std::vector<Metric>& known = *model.compiled().layer_metrics;
  std::vector<Metric> found;
  for (const std::string& name : model.network().metric_names()) {
    auto place = std::find_if(known.begin(), known.end(),
                              [&](const Metric& one) { return one.name() == name; });
    if (place == known.end()) place = known.insert(known.end(), Metric(Mean{.name = name}));
    found.push_back(*place);
  }
  return found;
}

void within_metric(const Metric& metric, const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    const bool named = error.report().what.find(metric.name()) != std::string::npos;
    error.rethrow_within(named ? "" : str("metric '", metric.name(), "'"));
  }
}

Compared compared_by(const ModelState& model, const OutputMetric& metric,
                     const std::vector<Tensor>& labels, const StepOutputs& predicted) {
  return compared_rows(model, metric, labels, predicted, false);
}

void update_metrics(const ModelState& model, const StepTensors& step, const StepOutputs& predicted,
                    const ComputedLosses& losses) {
  const LayerScope scope("metrics");  // what profiles call them
  update_losses(model, step, losses);
  update_layer_metrics(model, step, predicted);
  for (size_t i = 0; i < model.compiled().metrics.size(); ++i) {
    const OutputMetric& one = model.compiled().metrics[i];
    if (one.output >= predicted.outputs.size()) {
      raise<InvalidArgument>({.what = str("compile was given metrics for ", one.output + 1,
                                          " outputs, the model has ", predicted.outputs.size())});
    }
    const bool unweighted = ignores_sample_weight(model, i);
    const bool cut = unweighted && step.mask && step.real_rows > 0;
    const Compared rows = compared_rows(model, one, step.labels, predicted, cut);
    within_metric(one.metric, [&] { one.metric.update_state(rows); });
    if (rows.weight && unweighted) warn_of_weights(one.metric.name());
  }
}

}  // namespace systolic::inline v0
