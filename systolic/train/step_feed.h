// Batches on the device, ready for one execution of the step: read, laid out, padded, stacked and
// copied ahead of time on a thread of its own. Internal to train.
//
// A batch that is shorter than one before it, as the last often is, is filled with copies of its
// first row, which a mask leaves out. Where that would change the result (a loss that is one number
// for the whole batch) it is a step of its own size instead, if it divides over the cores. A batch
// that is longer than all before it makes the step longer. Steps of one execution have one shape: a
// batch of another ends the execution early.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/background_queue.h"
#include "systolic/data/dataset.h"
#include "systolic/nn/network.h"
#include "systolic/runtime/client.h"
#include "systolic/train/batch_layout.h"

namespace systolic::inline v0 {

// Integer labels must lie in [0, classes), or be `ignored`; -1: anything goes.
struct LabelRange {
  int64_t classes = -1;
  std::optional<int64_t> ignored = {};
};

// A layer looks up the integers of input `input` in a table of `limit` rows.
struct InputRange {
  size_t input = 0;
  int64_t limit = 0;
};

// What the model knows once it is built.
struct StepRules {
  std::vector<std::string> output_names = {};
  std::vector<InputRange> inputs = {};
  std::vector<LabelRange> labels = {};
  // Why rows that only pad would change the result; empty: they are left out by the mask. Given the
  // types of the inputs, then of the labels.
  std::function<std::string(const std::vector<ir::Type>&)> why_not_padded = {};
};

struct StepFeedOptions {
  std::string what = {};  // what reads, and the user's line: errors name them
  SourceLocation location = {};
  std::vector<NetworkPort> inputs = {};
  bool wants_labels = true;
  int64_t cores = 1;
  // Steps in one execution; above 1 the arrays get a leading axis of steps.
  int64_t steps_per_execution = 1;
  // Steps after which an epoch ends; -1: at the end of the data.
  int64_t steps_per_epoch = -1;
  // Multiplied into the sample weights; empty: none.
  std::map<int64_t, double> class_weight = {};
  // Where to read on: what StepFeed::save() gave for the same dataset; empty: from the start.
  std::string state = {};
  // Keeps the batches that are read ahead, so that save() works.
  bool keeps_state = false;
  // Sees the first batch, as the dataset gives it.
  std::function<void(const Example&)> on_first_batch = {};
  // Builds the model for inputs of these types, those of the first batch.
  std::function<StepRules(const std::vector<ir::Type>&)> build = {};
};

// What one execution takes.
struct StepInput {
  std::vector<runtime::BufferPtr> buffers;  // inputs, labels, sample weights
  runtime::BufferPtr mask;                  // pred [batch], true for real rows; null where all are
  std::vector<ir::Type> types;              // of one step's buffers
  std::vector<std::string> names;           // of the buffers, as the data calls them
  size_t inputs = 0, labels = 0;            // how many of the buffers
  bool has_weights = false;
  int64_t batch_size = 0;  // rows, padding included
  int64_t steps_per_execution = 1;
  int64_t steps = 1;    // real ones; the arrays of the others are copies
  int64_t samples = 0;  // real rows of all steps
};

class StepFeed {
 public:
  // Reads the first batch at once, on this thread, as it builds the model; the others later.
  StepFeed(const data::Dataset& dataset, StepFeedOptions options);

  // The next execution's input; nothing at the end of the data (and never at the end of an epoch).
  std::optional<StepInput> next();
  // Seconds that next() has waited so far.
  double waited_seconds() const { return waited_seconds_; }
  // Steps of its epoch that were done before this feed: above 0 where it reads on within one.
  int64_t steps_before() const { return steps_before_; }
  // The steps of an input that next() gave are done, as save() sees it.
  void done(const StepInput& input);
  // Steps of the epoch count from 0 again in what save() gives.
  void begin_epoch();
  // What the dataset's transformations did so far.
  data::PipelineReport report() const;
  // Where the data stands behind the last input that is done, as bytes for a file; batches that
  // were read ahead are part of it. Needs keeps_state.
  std::string save();

 private:
  class Producer;
  // Counts the time, and names the reader in errors.
  template <class Body>
  void wait_for(const Body& body);

  std::string what_;
  SourceLocation location_;
  double waited_seconds_ = 0;
  int64_t steps_before_ = 0;
  std::shared_ptr<Producer> producer_;
  std::unique_ptr<BackgroundQueue<StepInput>> queue_;
};

}  // namespace systolic::inline v0
