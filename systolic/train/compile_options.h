// What Model::compile takes, with the names and the meaning of keras.Model.compile.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/metrics/metric.h"
#include "systolic/nn/optimizers/optimizer.h"
#include "systolic/train/jit_compile.h"

namespace systolic::inline v0 {

// What stands behind `.loss =`: one loss for all outputs, one for each output, or none, where
// layers give the loss themselves by add_loss.
//
//   .loss = "mse"      .loss = {"mse", Huber{.delta = 0.5}}
class ModelLoss {
 public:
  ModelLoss() = default;
  template <size_t n>
  consteval ModelLoss(const char (&name)[n]) : single_(name), count_(1) {}  // NOLINT
  template <class Loss>
  requires(std::constructible_from<LossFunction, Loss> &&
           !std::is_array_v<std::remove_cvref_t<Loss>>) ModelLoss(Loss loss)
      : single_(std::move(loss)), count_(1) {}  // NOLINT
  ModelLoss(std::initializer_list<LossFunction> losses)
      : count_(losses.size()),
        several_(std::make_shared<const std::vector<LossFunction>>(losses)) {}

  std::vector<LossFunction> get() const {
    return several_ ? *several_ : std::vector<LossFunction>(count_, single_);
  }

 private:
  LossFunction single_ = "mse";
  size_t count_ = 0;
  std::shared_ptr<const std::vector<LossFunction>> several_;
};

struct CompileOptions {
  Optimizer optimizer = "rmsprop";
  ModelLoss loss = {};
  std::vector<Metric> metrics = {};  // of the first output; each gives one value
  // Training steps that one execution on the device makes. Metrics, callbacks and Ctrl-C come
  // between executions.
  int64_t steps_per_execution = 1;
  // One for each output: the model's loss is the weighted sum. All 1 by default.
  std::vector<double> loss_weights = {};
  // For each output its metrics, named after it in logs: "score_mae".
  std::vector<std::vector<Metric>> output_metrics = {};
  // As metrics, but each sample counts by its sample weight; in `metrics` all count alike.
  std::vector<Metric> weighted_metrics = {};
  // Runs the layers, losses, optimizer and metrics op by op on one core, as plain C++: their code
  // is called at every step, may read values (x.item<float>()), branch on them, print, and stop at
  // breakpoints. For finding faults; slow. Takes one step at a time. Results are those of the
  // compiled step, to rounding.
  bool run_eagerly = false;
  // A step is one compiled program whatever stands here, as it is on every TPU; `false` is answered
  // by a line that names run_eagerly.
  JitCompile jit_compile = "auto";
  // A batch of other shapes or types than an earlier one of fit (or of evaluate, or of predict) is
  // a FailedPrecondition that names the input, and not another compilation with a line that says
  // so. set_strict_shapes(true) is that for all models and functions.
  bool strict_shapes = false;
};

}  // namespace systolic::inline v0
