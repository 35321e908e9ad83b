// The batches of one execution of the step, on the device. Internal to train.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {

// What one execution takes.
struct StepInput {
  std::vector<runtime::BufferPtr> buffers;  // inputs, labels, sample weights
  runtime::BufferPtr mask;                  // pred [batch], true for real rows; null where all are
  std::vector<ir::Type> types;              // of one step's buffers
  std::vector<std::string> names;           // of the buffers, as the data calls them
  size_t inputs = 0, labels = 0, weights = 0;  // how many of the buffers
  int64_t batch_size = 0;                      // rows, padding included
  int64_t steps_per_execution = 1;
  int64_t steps = 1;    // real ones; the arrays of the others are copies
  int64_t samples = 0;  // real rows of all steps
  // In each step; -1 where not all steps have as many.
  int64_t real_rows = -1;
  bool only_pads = false;  // this process's part: others have rows for the step

  // Real rows of one step, rounded up, as messages give the batch.
  int64_t samples_of_a_step() const { return (samples + steps - 1) / steps; }
};

}  // namespace systolic::inline v0
