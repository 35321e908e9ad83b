// What Model::compile takes, with the names and the meaning of keras.Model.compile.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/metrics/metric.h"
#include "systolic/nn/optimizers/optimizer.h"
#include "systolic/trace/function/matmul_precision.h"
#include "systolic/train/options/jit_compile.h"
#include "systolic/train/options/output_values.h"
#include "systolic/train/options/own_step.h"

namespace systolic::inline v0 {

// What stands after `.loss =`: one loss for all outputs, one for each output, in their order or by
// their names, or none, where layers give the loss themselves by add_loss.
//
//   .loss = "mse"      .loss = {"mse", Huber{.delta = 0.5}}
//   .loss = {{"kind", "mse"}, {"bright", Huber{.delta = 0.5}}}
class ModelLoss {
 public:
  ModelLoss() = default;
  template <size_t n>
  consteval ModelLoss(const char (&name)[n]) : single_(name), count_(1) {}  // NOLINT
  template <class Loss>
  requires(std::constructible_from<LossFunction, Loss> &&
           !std::is_array_v<std::remove_cvref_t<Loss>>) ModelLoss(Loss loss)
      : single_(std::move(loss)), count_(1) {}  // NOLINT
  explicit ModelLoss(std::vector<LossFunction> losses)
      : several_(std::make_shared<const OutputValues<LossFunction>>(std::move(losses))) {}
  ModelLoss(std::initializer_list<LossFunction> losses)
      : several_(std::make_shared<const OutputValues<LossFunction>>(losses)) {}
  ModelLoss(std::initializer_list<OutputValue<LossFunction>> losses)
      : several_(std::make_shared<const OutputValues<LossFunction>>(losses)) {}

  OutputValues<LossFunction> get() const {
    return several_ ? *several_ : std::vector<LossFunction>(count_, single_);
  }

 private:
  LossFunction single_ = "mse";
  size_t count_ = 0;
  std::shared_ptr<const OutputValues<LossFunction>> several_;
};

// The metrics of an output: {"kind", "accuracy"}, {"kind", {"accuracy", AUC{}}}.
struct OutputMetrics {
  OutputMetrics(std::string output_, Metric metric)
      : output(std::move(output_)), metrics{std::move(metric)} {}
  OutputMetrics(std::string output_, std::initializer_list<Metric> metrics_)
      : output(std::move(output_)), metrics(metrics_) {}
  std::string output;
  std::vector<Metric> metrics;
};

// What stands after `.metrics =`: metrics of the first output, or of outputs by their names.
//
//   .metrics = {"accuracy"}      .metrics = {{"kind", "accuracy"}, {"bright", {AUC{}, "mae"}}}
//   .metrics = "accuracy"        // one of them alone
class ModelMetrics {
 public:
  ModelMetrics() = default;
  template <size_t n>
  consteval ModelMetrics(const char (&name)[n]) : single_(name), count_(1) {}  // NOLINT
  template <class One>
  requires(std::constructible_from<Metric, One> && !std::is_array_v<std::remove_cvref_t<One>>)
      ModelMetrics(One metric)  // NOLINT
      : of_first_{Metric(std::move(metric))} {}
  ModelMetrics(std::vector<Metric> metrics) : of_first_(std::move(metrics)) {}  // NOLINT
  explicit ModelMetrics(std::vector<OutputMetrics> metrics) : by_output_(std::move(metrics)) {}
  ModelMetrics(std::initializer_list<Metric> metrics) : of_first_(metrics) {}          // NOLINT
  ModelMetrics(std::initializer_list<OutputMetrics> metrics) : by_output_(metrics) {}  // NOLINT

  std::vector<Metric> of_first() const {
    return count_ > 0 ? std::vector<Metric>(count_, single_) : of_first_;
  }
  const std::vector<OutputMetrics>& by_output() const { return by_output_; }

 private:
  Metric single_ = "mean";
  size_t count_ = 0;  // of single_
  std::vector<Metric> of_first_;
  std::vector<OutputMetrics> by_output_;
};

struct CompileOptions {
  Optimizer optimizer = "rmsprop";  // a name, or an object such as Adam{...}
  ModelLoss loss = {};              // none: only what layers give by add_loss
  // Each gives one value. Those given by an output's name have it in logs, where there are several:
  // "kind_accuracy".
  ModelMetrics metrics = {};
  // Training steps that one execution on the device makes. Metrics, callbacks and Ctrl-C come
  // between executions.
  int64_t steps_per_execution = 1;
  // For each output, in order or by name: the model's loss is the weighted sum. 1 where none is.
  OutputValues<double> loss_weights = {};
  // For each output, in order, its metrics, named after it in logs: "score_mae".
  std::vector<std::vector<Metric>> output_metrics = {};
  // As metrics, but each sample counts by its sample weight; in `metrics` all count alike.
  ModelMetrics weighted_metrics = {};
  // Runs the layers, losses, optimizer and metrics op by op on one core, as plain C++: their code
  // is called at every step, may read values (x.item<float>()), branch on them, print, and stop at
  // breakpoints. For finding faults; slow. Takes one step at a time. Results are those of the
  // compiled step, to rounding.
  bool run_eagerly = false;
  // Under the policy "mixed_float16" an optimizer that scales no loss becomes a LossScaleOptimizer
  // (nn/optimizers/common/loss_scale_optimizer.h).
  bool auto_scale_loss = true;
  // In place of the steps of fit and train_on_batch, and of evaluate and test_on_batch
  // (own_step.h).
  OwnStep train_step = {}, test_step = {};
  // Metrics of theirs that are set back at the start of each epoch and evaluation.
  std::vector<Metric> step_metrics = {};
  // A step is one compiled program whatever stands here, as it is on every TPU; `false` is answered
  // by a line that names run_eagerly.
  JitCompile jit_compile = "auto";
  // A batch of other shapes or types than an earlier one of fit (or of evaluate, or of predict) is
  // a FailedPrecondition that names the input, and not another compilation with a line that says
  // so; but not a length that prepare_dataset announced. set_strict_shapes(true) is that for all
  // models and functions.
  bool strict_shapes = false;
  // How products of f32 are computed in fit, evaluate and predict on a software TPU with a matrix
  // unit: "auto", "float32" or "bf16_x6" (trace/function/matmul_precision.h).
  MatmulPrecision matmul_precision = "auto";
};

}  // namespace systolic::inline v0
