// What compile() gave a model: how it is trained, and what is measured. Internal to train.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/metrics/metric.h"
#include "systolic/nn/metrics/reduction/mean.h"
#include "systolic/nn/optimizers/optimizer.h"
#include "systolic/trace/function/matmul_precision.h"
#include "systolic/trace/variable.h"
#include "systolic/train/options/own_step.h"
#include "systolic/train/state/step_programs.h"

namespace systolic::inline v0 {

struct OutputMetric {
  Metric metric;
  size_t output = 0;
  bool named_after_output = false;
  bool weighted = false;  // by the sample weights
};

// A step of the user's, bound to its model, and what it logged.
struct BoundStep {
  std::function<StepLogs(StepCall&)> call;
  std::vector<std::pair<std::string, Variable>> logs = {};  // f32 [], made when it is first traced
};

struct Compiled {
  std::optional<Optimizer> optimizer = {};  // none: the model is not compiled, or no longer
  SourceLocation at = {};
  std::string dropped_by = {};  // what took back compile(), where something did
  bool takes_own_loss = false;  // compile() was given none
  // None, one for all outputs, or one for each; nothing where an output has none.
  std::vector<std::optional<LossFunction>> losses = {};
  std::vector<double> loss_weights = {};
  std::vector<OutputMetric> metrics = {};
  // Where several outputs have losses of the user's: the mean of each output's loss, as
  // the loss function gives it.
  std::vector<Metric> output_losses = {};
  Metric loss_metric = Mean{.name = "loss"};
  // The means of what layers add, made when they are first wanted (step_metrics.h).
  std::shared_ptr<std::vector<Metric>> layer_metrics = std::make_shared<std::vector<Metric>>();
  int64_t steps_per_execution = 1;
  bool run_eagerly = false;
  bool strict_shapes = false;
  MatmulPrecision matmul_precision = "auto";
  // Null where the library's own step runs.
  std::shared_ptr<BoundStep> train_step = {}, test_step = {};
  std::vector<Metric> step_metrics = {};
  // The steps that have run since metrics were last set back: theirs are the logs.
  StepKind logged = StepKind::train;
  // For each metric, whether it does not look at the samples' weights; nothing until that is found
  // out. Such a metric gets the real rows of a padded batch, so that each number of them is a
  // program.
  std::optional<std::vector<bool>> metrics_without_weights = {};

  // Null where the library's own runs.
  BoundStep* own_step(StepKind kind) const {
    return (kind == StepKind::train      ? train_step
            : kind == StepKind::evaluate ? test_step
                                         : nullptr)
        .get();
  }
  // Null where the output has none.
  const LossFunction* loss_of(size_t output) const;
  // Whether a loss or a metric compares the output with labels: others are given none.
  bool takes_labels(size_t output) const;
  // The place of the output's labels, and of its sample weights, among those that are given.
  size_t place_of_labels(size_t output) const;
  bool cuts_batches_for_metrics() const {
    return metrics_without_weights &&
           std::find(metrics_without_weights->begin(), metrics_without_weights->end(), true) !=
               metrics_without_weights->end();
  }
};

}  // namespace systolic::inline v0
