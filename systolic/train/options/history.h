// What fit() returns: the logs of every epoch (keras.callbacks.History).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/events/logs.h"

namespace systolic::inline v0 {

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
  bool out_of_time = false;  // FitOptions::stop_after did

  // The last value under a name, such as "val_loss"; another is a NotFound that lists them.
  double last(std::string_view name, SourceLocation location = SourceLocation::current()) const;
};

}  // namespace systolic::inline v0
