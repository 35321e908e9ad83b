// The metrics of a step. Internal to train.
#pragma once

#include <functional>
#include <vector>

#include "systolic/train/step/step_outputs.h"

namespace systolic::inline v0 {

// What a metric of the model is updated with. Beside a model's own loss these are the labels that
// OwnLoss::compared gives, and only what that loss counts.
Compared compared_by(const ModelState& model, const OutputMetric& metric,
                     const std::vector<Tensor>& labels, const StepOutputs& predicted);

// Adds the step to the mean losses and to all metrics. What a metric raises says which it was.
void update_metrics(const ModelState& model, const StepTensors& step, const StepOutputs& predicted,
                    const ComputedLosses& losses);

// The means of what the network's layers add by add_metric, in the order of its metric_names().
std::vector<Metric> layer_metrics(const ModelState& model);

// Has `body` call a metric: what it raises says which it was.
void within_metric(const Metric& metric, const std::function<void()>& body);

}  // namespace systolic::inline v0
