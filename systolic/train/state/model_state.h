// What a Model handle points to. Internal to train and models.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/metrics/metric.h"
#include "systolic/nn/metrics/reduction/mean.h"
#include "systolic/nn/network/network.h"
#include "systolic/nn/optimizers/optimizer.h"
#include "systolic/trace/function/matmul_precision.h"
#include "systolic/trace/program/program.h"
#include "systolic/train/state/finite_watch.h"
#include "systolic/train/state/input_range.h"
#include "systolic/train/state/own_loss.h"

namespace systolic::inline v0 {

enum class StepKind : uint8_t { train, evaluate, predict };

struct OutputMetric {
  Metric metric;
  size_t output = 0;
  bool named_after_output = false;
  bool weighted = false;  // by the sample weights
};

// Reads the loss and the metrics, as they are named in logs.
struct LogReader {
  std::shared_ptr<Program> program;
  std::vector<std::string> names;
  size_t totals = 0;  // variables of all metrics when it was made
};

struct ModelState {
  explicit ModelState(Network network_) : network(std::move(network_)) {}

  Network network;
  int64_t cores = 1;

  // Set by compile(), under programs_mutex: others may predict.
  std::optional<Optimizer> optimizer;
  SourceLocation compiled_at = {};
  std::string dropped_by;  // what took back compile(), where something did
  OwnLoss own_loss;
  bool takes_own_loss = false;       // compile() was given none
  std::vector<LossFunction> losses;  // none, one for all outputs, or one for each
  std::vector<double> loss_weights;
  std::vector<OutputMetric> metrics;
  // Of a model with several outputs and losses of the user's: the mean of each output's loss, as
  // the loss function gives it.
  std::vector<Metric> output_losses;
  int64_t steps_per_execution = 1;
  bool run_eagerly = false;
  bool strict_shapes = false;
  MatmulPrecision matmul_precision = "auto";
  Metric loss_metric = Mean{.name = "loss"};
  // Of each metric, whether it does not look at the samples' weights; nothing until that is found
  // out. Such a metric gets the real rows of a padded batch, so that each number of them is a
  // program.
  std::optional<std::vector<bool>> metrics_without_weights;
  bool cuts_batches_for_metrics() const {
    return metrics_without_weights &&
           std::find(metrics_without_weights->begin(), metrics_without_weights->end(), true) !=
               metrics_without_weights->end();
  }

  // Compiled steps by kind and input signature; the mutex lets several threads run and read at
  // once. Recursive: what is traced under it is the user's code, which may predict.
  std::recursive_mutex programs_mutex;
  struct CompiledStep {
    StepKind kind;
    std::vector<ir::Type> types;  // of its inputs
    bool masked = false;          // some rows only pad
    std::shared_ptr<Program> program;
    size_t place = 0;                    // among all of the model's, as they were made
    std::vector<Variable> trained = {};  // of a training step: what it changes
  };
  std::unordered_map<std::string, CompiledStep> programs;
  // What layers look up of inputs, by the types of their rows.
  std::unordered_map<std::string, std::vector<InputRange>> input_ranges;
  // How long sequences are, [batch, length, ...], in data that was prepared for this model: a
  // program for each is what the user was told, so that no line warns of it.
  std::set<int64_t> announced_lengths;
  LogReader log_reader;  // without a program until logs are read

  // Set while TerminateOnNaN watches; training steps then say where a NaN begins.
  std::shared_ptr<FiniteWatch> finite_watch;

  std::atomic<bool> stop_training{false};
  // Of the fit that runs, where a callback wants it; else empty.
  std::function<std::string()> input_state;
};

}  // namespace systolic::inline v0
