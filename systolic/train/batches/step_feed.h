// Batches on the device, ready for one execution of the step, ahead of time: on a thread of its own
// a data::ResumableReader reads, BatchReader lays out and checks, StepTransfer pads, stacks and
// copies. What it gives, step/step_program.h runs. Internal to train.
//
// A batch that is shorter than one before it, as the last often is, is filled with copies of its
// first row, which a mask leaves out. Where that would change the result (a loss that is one number
// for the whole batch) it is a step of its own size instead, if it divides over the cores. A batch
// that is longer than all before it makes the step longer. Steps of one execution have one shape: a
// batch of another ends the execution early.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "systolic/base/threads/background_queue.h"
#include "systolic/data/dataset.h"
#include "systolic/train/batches/step_feed_options.h"
#include "systolic/train/batches/step_input.h"

namespace systolic::inline v0 {

class StepFeed {
 public:
  // Reads the first batch at once, on this thread, as it builds the model; the others later.
  StepFeed(const data::Dataset& dataset, const StepFeedOptions& options);

  // The next execution's input; nothing at the end of the data (and never at the end of an epoch).
  std::optional<StepInput> next();
  // Seconds that next() has waited so far.
  double waited_seconds() const { return waited_seconds_; }
  // Steps of its epoch that were done before this feed: above 0 where it reads on within one.
  int64_t steps_before() const { return steps_before_; }
  // Rows of a full batch without padding, as far as the first, or the run that this one reads on
  // from, shows.
  int64_t batch_size() const { return batch_size_; }
  // Whether rows that only pad change no result, and no program, wherever they stand in a batch.
  bool pads_freely() const { return pads_freely_; }
  // Where it reads on after the last of its batches, while other processes still have rows: what
  // takes this process's part in their steps. Nothing where it has rows of its own.
  const std::optional<StepInput>& padding() const { return padding_; }
  // The steps of an input that next() gave, or one that only pads, are done, as save() sees it.
  void done(const StepInput& input);
  // Steps of the epoch count from 0 again in what save() gives.
  void begin_epoch();
  // What the dataset's transformations did so far.
  data::PipelineReport report() const;
  // Where the data stands after the last input that is done, as bytes for a file; batches that
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
  int64_t batch_size_ = 0;
  bool pads_freely_ = false;
  std::optional<StepInput> padding_;
  std::shared_ptr<Producer> producer_;
  std::unique_ptr<BackgroundQueue<StepInput>> queue_;
};

}  // namespace systolic::inline v0
