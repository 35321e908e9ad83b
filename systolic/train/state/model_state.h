// What a Model handle points to. Internal to train and models.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
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
#include "systolic/train/state/run_control.h"
#include "systolic/train/state/step_programs.h"

namespace systolic::inline v0 {

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

  // Set by compile(), under lock(): others may predict.
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

  // Held by whoever reads or changes what is above, or the programs; several threads may run
  // programs meanwhile. Recursive: what is traced under it is the user's code, which may predict.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> lock() const {
    return std::unique_lock(mutex_);
  }

  // Under lock().
  const StepPrograms& programs() const { return programs_; }
  void add_program(StepProgram step) { programs_.add(std::move(step)); }
  // The steps of that kind are traced anew when they are next wanted.
  void invalidate_programs(StepKind kind);
  // All of them, and those that read the metrics: the model was compiled.
  void forget_programs();
  // Changes layers, such as what is trainable, between two steps; training steps are made anew.
  void change_layers(const std::function<void()>& change);
  // `by`, as errors name it, also takes back compile().
  void replace_network(Network other, const std::string& by);

  // Sequences, [batch, length, ...], have these lengths in data that was prepared for this model: a
  // program for each is what the user was told, so that no line warns of it.
  void announce_lengths(const std::vector<int64_t>& lengths);
  const std::set<int64_t>& announced_lengths() const { return announced_lengths_; }

  // Training steps say where a NaN begins, until null is given: they are made anew.
  void watch_finite(std::shared_ptr<FiniteWatch> watch);
  const std::shared_ptr<FiniteWatch>& finite_watch() const { return finite_watch_; }

  // What layers look up of inputs, by the types of their rows; `find` finds what is not known.
  std::vector<InputRange> input_ranges(const std::string& rows,
                                       const std::function<std::vector<InputRange>()>& find);
  void know_input_ranges(const std::string& rows, std::vector<InputRange> ranges);

  // `make` makes one where there is none for so many totals of metrics.
  LogReader log_reader(size_t totals, const std::function<LogReader()>& make);

  RunControl& run() { return run_; }
  const RunControl& run() const { return run_; }

 private:
  mutable std::recursive_mutex mutex_;
  StepPrograms programs_;
  std::unordered_map<std::string, std::vector<InputRange>> input_ranges_;
  std::set<int64_t> announced_lengths_;
  LogReader log_reader_;  // without a program until logs are read
  std::shared_ptr<FiniteWatch> finite_watch_;
  RunControl run_;
};

}  // namespace systolic::inline v0
