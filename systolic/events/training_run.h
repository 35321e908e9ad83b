// Tells of a loop of your own what fit tells of itself: to a progress bar, files, a monitor.
//
//   TrainingRun run({.name = "gan", .epochs = 2, .steps = 60, .batch_size = 200,
//                    .sinks = {ProgressSink(), CSVLogger{.filename = "log.csv"}}});
//   for (int epoch = 0; epoch < 2; ++epoch) {
//     run.begin_epoch(epoch);
//     for (int step = 0; step < 60; ++step) {
//       train_step();
//       run.end_step();
//     }
//     run.end_epoch({{"loss", loss.result().item<double>()}});
//   }
//
// Programs that the thread of the loop compiles in its life, and why it does so again, are events
// of the run, too. It ends with the object; by an exception that passes it, as a failure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "systolic/base/stopwatch.h"
#include "systolic/events/event_stream.h"

namespace systolic::inline v0 {

struct TrainingRunOptions {
  std::string name = "training";         // as sinks show it
  int epochs = 1;                        // of the whole run
  int64_t steps = -1;                    // an epoch; -1: not known before the first has ended
  int64_t batch_size = 0;                // global; 0: not known
  std::vector<EventSinkPtr> sinks = {};  // told at once
  std::vector<EventSinkPtr> background_sinks = {};  // told on threads of their own
  int verbose = 1;                                  // of a progress bar, as in FitOptions
  int64_t first_step = 0;                           // where an earlier process ended
  // The loss and the metrics as they stand, for a live progress bar or a monitor.
  std::function<Logs()> read_logs = {};
  // The learning rate as it stands, for TensorBoard.
  std::function<double()> read_learning_rate = {};
  // The weights, for histograms: named_values(model.network()) of train/state/model_facts.h.
  std::function<std::vector<events::NamedValues>()> read_weights = {};
  // The model's graph for TensorBoard, as Keras's JSON: keras_json(model.network()).
  std::function<std::string()> model_json = {};
};

// One execution of a program.
struct StepOptions {
  int64_t steps = 1;                    // training steps that it made
  std::optional<int64_t> samples = {};  // of all of them; batch_size for each
  std::optional<double> loss = {};      // where it is known
};

class TrainingRun {
 public:
  explicit TrainingRun(TrainingRunOptions options);
  ~TrainingRun();
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  void begin_epoch(int epoch);  // counted from 0
  void end_step(const StepOptions& options = {});
  void end_epoch(Logs logs);
  // Anything else, such as events::CheckpointWritten.
  void publish(const Event& event) { stream_.publish(event); }

 private:
  EventStream stream_;
  int64_t batch_size_;
  int64_t step_in_epoch_ = 0;
  Stopwatch watch_;  // since the step before
  Logs last_logs_;
  const int exceptions_;  // under way when it began
};

}  // namespace systolic::inline v0
