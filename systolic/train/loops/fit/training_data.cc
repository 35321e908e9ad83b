#include "systolic/train/loops/fit/training_data.h"

#include <utility>

#include "systolic/base/process/place_in_run.h"
#include "systolic/base/text.h"
#include "systolic/cluster/this_run.h"
#include "systolic/data/advice.h"
#include "systolic/events/event_stream.h"
#include "systolic/train/loops/model_feed.h"
#include "systolic/train/options/run_state.h"

namespace systolic::inline v0 {

void TrainingData::open() {
  if (feed_ && !cursor_.data_ended()) return;
  if (feed_) waited_before_ += feed_->waited_seconds();
  StepFeedOptions feed{.what = "fit",
                       .location = call_.location,
                       .batches = {.class_weight = call_.options.class_weight},
                       .steps_per_epoch = call_.options.steps_per_epoch,
                       .keeps_state = keeps_state()};
  const bool is_first = !feed_;
  if (is_first) feed.state = call_.options.input_state;
  if (is_first && call_.options.verbose > 0) {
    feed.batches.on_first_batch = [this](const Example& batch) {
      advice_on_values_ = data::advice_on_values(batch);
    };
  }
  feed_ = open_shared(feed);
  cursor_.open(feed_->steps_before());
  if (is_first) cursor_.begin_run(steps_of_earlier_fits());
}

// The first time it finds out whether the processes can each read rows of their own.
std::unique_ptr<StepFeed> TrainingData::open_shared(const StepFeedOptions& options) {
  const bool is_first = !share_;
  if (is_first) find_share();
  const auto open = [&] {
    StepFeedOptions feed = options;
    feed.piece = share_->piece;
    return open_feed(*call_.state, StepKind::train, share_->dataset, std::move(feed));
  };
  std::unique_ptr<StepFeed> feed = open();
  if (is_first && together_) {
    const std::string why = why_not_together(*feed);
    if (!why.empty()) {
      share_ = share_by_row(call_, *share_, why);
      together_.reset();
      call_.state->run().set_own_rows(false);
      feed = open();
    } else if (feed->padding()) {
      together_->pad_with(*feed->padding());
    }
  }
  if (is_first && call_.options.verbose > 0 && !share_->line.empty())
    publish(events::Notice{{.text = share_->line}});
  return feed;
}

void TrainingData::find_share() {
  share_ = share_data(call_, state_use_ == StateUse::of_process_0);
  const bool own_rows = share_->piece.count > 1;
  if (const auto run = place_in_run().count > 1 ? cluster::this_run() : nullptr) {
    constexpr double most_seconds = 600;
    run->agree("how fit shares the data", own_rows ? "rows of its own" : "all rows", most_seconds);
  }
  if (own_rows) together_.emplace(cluster::this_run());
  call_.state->run().set_own_rows(own_rows);
}

// All processes come to the same answer.
std::string TrainingData::why_not_together(const StepFeed& feed) const {
  const auto rows = together_->gather(str(feed.batch_size()));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != str(share_->rows))
      return str("process ", i, " has ", rows[i], " rows for its part of the first batch, not ",
                 share_->rows);
  }
  return feed.pads_freely() ? "" : "rows that only pad would change what the model computes";
}

// Where nobody knows how long the epochs are, the optimizer, which is restored with the weights,
// has counted their steps.
int64_t TrainingData::steps_of_earlier_fits() const {
  const int initial_epoch = call_.options.initial_epoch +
                            (call_.options.run_state.contains(run_state::epoch_is_trained) ? 1 : 0);
  if (initial_epoch == 0) return cursor_.steps_before();
  const int64_t steps = call_.steps_of_an_epoch();
  if (steps > 0) return initial_epoch * steps + cursor_.steps_before();
  return call_.state->compiled().optimizer->iterations().item<int64_t>();
}

std::optional<StepInput> TrainingData::next() {
  std::optional<StepInput> input = feed_->next();
  if (together_) input = together_->together(std::move(input));
  if (!input) cursor_.end_data();
  return input;
}

void TrainingData::end_epoch() {
  if (cursor_.all_steps()) feed_->begin_epoch();
}

// After the last batch of an epoch that ends with the data comes the first of the next one.
std::string TrainingData::input_state() {
  if (!feed_ || (cursor_.data_ended() && call_.options.steps_per_epoch < 0)) open();
  return feed_->save();
}

double TrainingData::waited_seconds() const {
  return waited_before_ + (feed_ ? feed_->waited_seconds() : 0);
}

// The stages are not called for it, as the feed's thread calls their functions now. What pads is
// for batch_advice to say.
std::vector<std::string> TrainingData::advice() const {
  std::vector<std::string> lines = advice_on_values_;
  const data::Node& last = *call_.dataset.node();
  for (std::string& line : data::advice_on_order(last)) lines.push_back(std::move(line));
  for (std::string& line : data::advice_on_files(last, call_.state->cores()))
    lines.push_back(std::move(line));
  return lines;
}

}  // namespace systolic::inline v0
