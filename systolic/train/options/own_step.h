// A training or test step of one's own (what overriding train_step and test_step of keras.Model
// is).
//
//   model.compile({.optimizer = Adam{}, .loss = "mse", .metrics = {"mae"},
//                  .train_step = [](const Model& model, StepCall& step) {
//                    GradientTape tape;
//                    step.call(true);
//                    const Tensor loss = step.compute_loss();
//                    step.apply_gradients(tape.gradient(loss, model.trainable_variables()));
//                    return step.compute_metrics();
//                  }});
//
// It is traced once for each shape of batches and compiled, as the step that is otherwise made;
// fit, train_on_batch, callbacks, several cores and steps_per_execution are as ever. It may use
// other models, optimizers and metrics as well (a GAN's discriminator): their variables are updated
// on the device. What it gives, scalars with names, is logged, the values of the last step; metrics
// of one's own that stand in CompileOptions::step_metrics are set back when compile's are. Batches
// are not padded: their rows must divide over the cores.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/nn/metrics/metric.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class Model;

// What a step logs, by names.
using StepLogs = std::vector<std::pair<std::string, Tensor>>;

// One step's batch, and what the step that is otherwise made would do with it.
class StepCall {
 public:
  virtual ~StepCall() = default;

  // In the order of the model's inputs and outputs: [batch, ...].
  virtual const std::vector<Tensor>& x() const = 0;
  virtual const std::vector<Tensor>& y() const = 0;
  // None, one for all outputs or one for each; f32 [batch] or as the losses.
  virtual const std::vector<Tensor>& sample_weight() const = 0;

  // Calls the model on x and gives its outputs. The others below are of the last call: before one
  // they are a FailedPrecondition.
  virtual std::vector<Tensor> call(bool training) = 0;
  // compile's losses of the outputs, with their weights, and what layers add: f32 [].
  virtual Tensor compute_loss() = 0;
  // Moves the model's trainable variables by compile's optimizer.
  virtual void apply_gradients(const std::vector<Tensor>& gradients) = 0;
  // Adds the step to compile's metrics and to the mean of the losses; gives them as they stand now.
  virtual StepLogs compute_metrics() = 0;
};

using OwnStep = std::function<StepLogs(const Model& model, StepCall& step)>;

// The steps that a model's struct has (Model's constructor of a struct with a `call`): compile's
// stand before them.
struct OwnSteps {
  OwnStep train = {}, test = {};
  std::vector<Metric> metrics = {};  // set back when compile's are
};

namespace internal {

template <class Spec>
OwnSteps own_steps_of(const Spec& spec) {
  OwnSteps steps;
  if constexpr (requires(const Model& model, StepCall& step) { spec.train_step(model, step); }) {
    steps.train = [spec](const Model& model, StepCall& step) -> StepLogs {
      return spec.train_step(model, step);
    };
  }
  if constexpr (requires(const Model& model, StepCall& step) { spec.test_step(model, step); }) {
    steps.test = [spec](const Model& model, StepCall& step) -> StepLogs {
      return spec.test_step(model, step);
    };
  }
  if constexpr (requires { spec.metrics(); }) steps.metrics = spec.metrics();
  return steps;
}

}  // namespace internal

}  // namespace systolic::inline v0
