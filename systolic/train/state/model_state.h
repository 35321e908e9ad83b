// What a Model handle points to: the network, what compile() gave, the programs of the steps, and
// the run. Each lives longer than the next, and is changed by the verbs below alone; ModelView
// holds them as they are while they are read. Internal to train: other folders have
// train/model/model_access.h.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/nn/network/network.h"
#include "systolic/trace/program/program.h"
#include "systolic/train/state/compiled.h"
#include "systolic/train/state/finite_watch.h"
#include "systolic/train/state/input_range.h"
#include "systolic/train/state/own_loss.h"
#include "systolic/train/state/run_control.h"
#include "systolic/train/state/step_programs.h"

namespace systolic::inline v0 {

// Reads the loss and the metrics, as they are named in logs.
struct LogReader {
  std::shared_ptr<Program> program;
  std::vector<std::string> names;
  size_t totals = 0;  // variables of all metrics when it was made
};

class ModelState {
 public:
  // Steps are for this many cores; `own_loss` is what compile() takes where it is given no loss.
  ModelState(Network network, int64_t cores, OwnLoss own_loss = {})
      : network_(std::move(network)), cores_(cores), own_loss_(std::move(own_loss)) {}

  int64_t cores() const { return cores_; }

  // What is below up to run() is read while a ModelView is held; several threads may run programs
  // meanwhile.
  const Network& network() const { return network_; }
  // `by`, as errors name it, also takes back compile(). `also` is what else changes with it.
  void replace_network(Network other, const std::string& by, const std::function<void()>& also);
  // Changes layers, such as what is trainable, between two steps; training steps are made anew.
  void change_layers(const std::function<void()>& change);

  const OwnLoss& own_loss() const { return own_loss_; }
  // Before the model is compiled.
  void bring_loss(OwnLoss loss);

  const OwnSteps& own_steps() const { return own_steps_; }
  // Before the model is compiled.
  void bring_steps(OwnSteps steps) { own_steps_ = std::move(steps); }

  const Compiled& compiled() const { return compiled_; }
  // As users get it, of a model that is compiled.
  Optimizer& optimizer() { return *compiled_.optimizer; }
  // In place of what it was compiled with before; all programs are forgotten.
  void compile(Compiled compiled);
  // The logs are now those of steps of that kind.
  void log_steps_of(StepKind kind);
  void note_metrics_without_weights(std::vector<bool> metrics);

  const StepPrograms& programs() const { return programs_; }
  void add_program(StepProgram step) { programs_.add(std::move(step)); }
  // The steps of that kind are traced anew when they are next wanted.
  void invalidate_programs(StepKind kind);

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
  void note_input_ranges(const std::string& rows, std::vector<InputRange> ranges);

  // `make` makes one where there is none for this many totals of metrics.
  LogReader log_reader(size_t totals, const std::function<LogReader()>& make);

  RunControl& run() { return run_; }
  const RunControl& run() const { return run_; }

 private:
  friend class ModelView;
  // Recursive: what is traced under it is the user's code, which may predict.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> lock() const {
    return std::unique_lock(mutex_);
  }
  // All of them, and those that read the metrics.
  void forget_programs();

  mutable std::recursive_mutex mutex_;
  Network network_;
  const int64_t cores_;
  OwnLoss own_loss_;
  OwnSteps own_steps_;
  Compiled compiled_;
  StepPrograms programs_;
  std::unordered_map<std::string, std::vector<InputRange>> input_ranges_;
  std::set<int64_t> announced_lengths_;
  LogReader log_reader_;  // without a program until logs are read
  std::shared_ptr<FiniteWatch> finite_watch_;
  RunControl run_;
};

}  // namespace systolic::inline v0
