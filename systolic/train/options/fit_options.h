// What fit, evaluate and predict take.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/core/literal.h"
#include "systolic/events/event_sink.h"
#include "systolic/monitor/profile/profile_options.h"
#include "systolic/train/options/callback.h"
#include "systolic/train/options/model_arrays.h"
#include "systolic/train/options/on_interrupt.h"

namespace systolic::inline v0 {

// Names and meaning as in keras.Model.fit. What goes with arrays only is an InvalidArgument with a
// Dataset: there it is part of the dataset.
struct FitOptions {
  int epochs = 1;                          // the number of the last one
  std::optional<int64_t> batch_size = {};  // of arrays; 32
  // -1: until the data ends. Arrays start again where they end; a Dataset needs repeat().
  int64_t steps_per_epoch = -1;
  ValidationData validation_data = {};                // a Dataset, {x, y} or {x, y, sample_weight}
  int64_t validation_steps = -1;                      // -1: all of it
  std::optional<int64_t> validation_batch_size = {};  // of arrays; batch_size
  int validation_freq = 1;                            // epochs from one validation to the next
  // With arrays: this share is held back to validate with, from the end, before they are shuffled.
  // validation_data takes precedence.
  double validation_split = 0;
  bool shuffle = true;  // arrays, before every epoch; a Dataset has shuffle()
  // The weight in the loss of each class, 1 for those that are not named. Labels are class numbers,
  // [batch] or [batch, 1], or one-hot; of a loss of class numbers they may have more axes. Models
  // with one output; training only. Multiplied by sample_weight (as in tf.keras 2; Keras 3 refuses
  // the two together).
  std::map<int64_t, double> class_weight = {};
  // With arrays: [samples], or [samples, time] for losses of that shape. One array weighs all
  // outputs' losses and compile's weighted_metrics, in training only; one for each output, in order
  // or by name, its own. In a Dataset it is the component after the labels, or that named
  // "sample_weight"; of an output "first", "sample_weight/first".
  ModelArrays sample_weight = {};
  // Called in this order, on the thread that trains; a callback may stop the training.
  std::vector<CallbackPtr> callbacks = {};
  // Told what happens (events/event.h), on threads of their own: what they throw, and how slow they
  // are, changes nothing in the training.
  std::vector<EventSinkPtr> event_sinks = {};
  // Where a page shows the run while it lasts (docs/monitor.md): ":8080" or "127.0.0.1:8080" for
  // this machine alone. "": as SYSTOLIC_MONITOR says, and without that nowhere.
  std::string monitor = {};
  // Steps of which a profile is written (docs/profile.md): .profile = {.steps = {10, 20}}.
  ProfileOptions profile = {};
  int initial_epoch = 0;  // the first, counted from 0, to go on where a fit has ended
  // What Model::input_state() gave: reads on from there, with the same dataset (or arrays),
  // steps_per_epoch, and initial_epoch for the epoch that was under way. Damaged bytes are a
  // DataLoss, those of another dataset a FailedPrecondition.
  std::string input_state = {};
  // What else an earlier process knew of the run (train/options/run_state.h), which
  // BackupAndRestore fills in: the callbacks' states, and of the epoch that was under way the
  // metrics' totals.
  Example run_state = {};
  // Where a TrainingCheckpoint among the callbacks takes up an earlier run: "auto", the last good
  // checkpoint of its directory, where there is one; "run/step_000100", that one. Without such a
  // callback an InvalidArgument.
  std::string resume = {};
  // Training ends after the step in which this much time has passed since fit began, for sessions
  // of a given length: callbacks save as after Ctrl-C, fit returns, History::out_of_time is set. In
  // a run of several processes the first one's clock counts.
  std::optional<std::chrono::duration<double>> stop_after = {};
  int verbose = 1;                               // 0 silent, 1 progress bar, 2 a line an epoch
  OnInterrupt on_interrupt = OnInterrupt::exit;  // at Ctrl-C, SIGTERM and the like
};

struct EvaluateOptions {
  std::optional<int64_t> batch_size = {};      // of arrays; 32
  ModelArrays sample_weight = {};              // with arrays
  int64_t steps = -1;                          // batches; -1: all that there are
  std::vector<CallbackPtr> callbacks = {};     // told of each batch
  std::vector<EventSinkPtr> event_sinks = {};  // as in FitOptions
  int verbose = 1;                             // as in FitOptions
};

// What train_on_batch and test_on_batch take.
struct OnBatchOptions {
  ModelArrays sample_weight = {};               // as in FitOptions; not beside a batch of a dataset
  std::map<int64_t, double> class_weight = {};  // as in FitOptions; training only
};

struct PredictOptions {
  std::optional<int64_t> batch_size = {};   // of arrays; 32
  int64_t steps = -1;                       // batches; -1: all that there are
  std::vector<CallbackPtr> callbacks = {};  // told of each batch
};

}  // namespace systolic::inline v0
