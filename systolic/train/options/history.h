// What fit() returns: the logs of every epoch (keras.callbacks.History).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// Names and values in the order in which they print: loss first, then metrics, then their val_
// twins.
using Logs = std::vector<std::pair<std::string, double>>;

// The value under a name. Another is a NotFound that lists those that there are: none in
// on_train_batch_end of a callback whose wants_batch_logs() is false.
double log_value(const Logs& logs, std::string_view name,
                 SourceLocation location = SourceLocation::current());

struct History {
  std::vector<int> epoch;                              // numbers of the epochs that ran
  std::map<std::string, std::vector<double>> history;  // by name, one value an epoch
  std::vector<float> step_losses;                      // the loss of every training step, in order

  // Time and work, for benchmarks and tests.
  double compile_milliseconds = 0;        // of the training step
  std::vector<double> step_milliseconds;  // of each execution, per step, without callbacks
  double input_wait_seconds = 0;          // besides, waiting for the input pipeline
  // Which part of the steps' time the device waited for input, by its counters: from the first step
  // on, without validation.
  double input_wait_share = 0;
  int64_t samples = 0;       // seen in training
  bool interrupted = false;  // Ctrl-C ended it

  // The last value under a name, such as "val_loss"; another is a NotFound that lists them.
  double last(std::string_view name, SourceLocation location = SourceLocation::current()) const;
};

}  // namespace systolic::inline v0
