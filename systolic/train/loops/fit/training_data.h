// The batches of a fit, epoch by epoch. With steps_per_epoch the dataset is read on from epoch to
// epoch; without, from the start each time. Internal to train.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/train/batches/shared_steps.h"
#include "systolic/train/batches/step_feed.h"
#include "systolic/train/loops/fit/data_share.h"
#include "systolic/train/loops/fit/epoch_cursor.h"
#include "systolic/train/loops/fit/fit_call.h"
#include "systolic/train/loops/fit/state_use.h"

namespace systolic::inline v0 {

class TrainingData {
 public:
  // Tells `cursor` where the data stands.
  TrainingData(const FitCall& call, EpochCursor& cursor, StateUse use)
      : call_(call), cursor_(cursor), state_use_(use) {}

  // At the start of an epoch: opens what is not open, or has ended. The first time that builds the
  // model for the first batch.
  void open();
  // The epoch's next batches; nothing where the data ends.
  std::optional<StepInput> next();
  void done(const StepInput& input) { feed_->done(input); }
  void end_epoch();
  // Whether somebody asks for what follows.
  bool keeps_state() const { return state_use_ != StateUse::none; }
  // Where the data stands after the last step, as bytes; this process's place, where each reads
  // rows of its own.
  std::string input_state();

  // Rows of a full batch without padding, as far as is known.
  int64_t batch_size() const { return feed_->batch_size() * share_->piece.count; }
  double waited_seconds() const;
  data::PipelineReport report() const { return feed_->report(); }
  // What is unwise in the pipeline, as far as its stages and the first batch show.
  std::vector<std::string> advice() const;

 private:
  int64_t steps_of_earlier_fits() const;
  std::unique_ptr<StepFeed> open_shared(const StepFeedOptions& options);
  void find_share();
  std::string why_not_together(const StepFeed& feed) const;

  const FitCall& call_;
  EpochCursor& cursor_;
  const StateUse state_use_;
  std::optional<DataShare> share_;       // from the first batch on
  std::optional<SharedSteps> together_;  // where each process reads rows of its own
  std::unique_ptr<StepFeed> feed_;
  double waited_before_ = 0;  // in seconds, for feeds that are gone
  std::vector<std::string> advice_on_values_;
};

}  // namespace systolic::inline v0
