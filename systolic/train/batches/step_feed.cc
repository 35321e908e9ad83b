#include "systolic/train/batches/step_feed.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/spans/named_work.h"
#include "systolic/base/stopwatch.h"
#include "systolic/data/resumable_reader.h"
#include "systolic/data/state/state_archive.h"
#include "systolic/events/event_stream.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/batches/batch_reader.h"
#include "systolic/train/batches/feed_state.h"
#include "systolic/train/batches/sources_text.h"
#include "systolic/train/batches/step_transfer.h"

namespace systolic::inline v0 {
namespace {

// Executions that are ready, besides the one that runs.
constexpr size_t executions_ahead = 2;

constinit spans::NamedWork wait_for_input{spans::WorkKind::wait, "wait for input"};
constinit spans::NamedWork prepare_batch{spans::WorkKind::input, "batches of fit"};
constinit spans::NamedWork copy_batch{spans::WorkKind::input, "copy to the device"};

void report_other_sources(const std::string& before, const std::string& now) {
  if (before == now) return;
  publish_warning(str("fit goes on with other data than the run that it takes up.\n  it read: ",
                      before, "\n  now: ", now));
}

FeedState restored(const data::Dataset& dataset, const StepFeedOptions& options) {
  FeedState state;
  state.piece = options.piece;
  if (options.keeps_state || !options.state.empty()) state.sources = text_of_sources(dataset);
  if (options.state.empty()) return state;
  const std::string now = state.sources;
  data::StateArchive archive(options.state);
  state.transfer(archive);
  archive.expect_end();
  report_other_sources(state.sources, now);
  state.sources = now;
  if (options.steps_per_epoch < 0 || state.steps_in_epoch <= options.steps_per_epoch) return state;
  raise<FailedPrecondition>(
      {.what = str("the input's state is that of step ", state.steps_in_epoch, " of an epoch"),
       .wanted = str("one of epochs of ", options.steps_per_epoch, " steps"),
       .hint = "give fit the steps_per_epoch that it had when the state was saved"});
}

}  // namespace

// Groups batches into executions; runs on the queue's thread.
class StepFeed::Producer {
 public:
  Producer(const data::Dataset& dataset, const StepFeedOptions& options)
      : Producer(dataset, restored(dataset, options), options) {}

  // Reads the first batch and has the model built for it; where this process had its last one
  // already, for that.
  void begin() {
    waiting_ = read_next();
    if (!waiting_ && !last_used_.empty()) padding_ = transferred({reader_.prepared(last_used_)});
  }

  std::optional<StepInput> operator()() {
    const std::lock_guard lock(mutex_);
    const spans::Span span(prepare_batch);
    const std::vector<Example> batches = batches_of_one_shape();
    if (batches.empty()) return std::nullopt;
    steps_read_ = in_epoch(steps_read_ + static_cast<int64_t>(batches.size()));
    const spans::Span copies(copy_batch);
    return transferred(batches);
  }

  // `own`: the steps had rows of this feed.
  void done(int64_t steps, bool own) {
    const std::lock_guard lock(trained_mutex_);
    if (own) source_.done(steps);
    steps_trained_ += steps;
  }
  void begin_epoch() {
    const std::lock_guard lock(trained_mutex_);
    steps_trained_ = 0;
  }

  // Waits for the execution that is being made.
  std::string save() {
    const std::lock_guard lock(mutex_);
    const std::lock_guard trained_lock(trained_mutex_);
    FeedState state{.piece = piece_,
                    .place = source_.place(),
                    .steps_in_epoch = steps_trained_,
                    .batch_size = reader_.full_rows(),
                    .sources = sources_};
    if (state.place.elements.empty()) state.last_used = last_used_;
    data::StateArchive archive;
    state.transfer(archive);
    return archive.finish();
  }

  data::PipelineReport report() const { return source_.report(); }
  int64_t steps_trained() const { return steps_trained_; }
  int64_t batch_size() const { return reader_.full_rows(); }
  bool pads_freely() const { return reader_.pads_freely(); }
  const std::optional<StepInput>& padding() const { return padding_; }

 private:
  Producer(const data::Dataset& dataset, FeedState state, const StepFeedOptions& options)
      : steps_per_execution_(options.steps_per_execution),
        steps_per_epoch_(options.steps_per_epoch),
        piece_(options.piece),
        keeps_last_(options.keeps_state && options.piece.count > 1),
        sources_(std::move(state.sources)),
        source_(dataset, std::move(state.place), options.keeps_state),
        reader_(options.batches, state.batch_size),
        transfer_({.cores = options.batches.cores * options.piece.count,
                   .steps_per_execution = options.steps_per_execution,
                   .pieces = options.piece.count,
                   .location = options.location}),
        last_used_(std::move(state.last_used)),
        steps_read_(in_epoch(state.steps_in_epoch)),
        steps_trained_(state.steps_in_epoch) {}

  std::optional<Example> read_next() {
    std::optional<Example> batch = source_.next();
    if (batch && keeps_last_) last_used_ = *batch;
    if (batch) batch = reader_.prepared(std::move(*batch));
    return batch;
  }

  StepInput transferred(const std::vector<Example>& batches) const {
    return transfer_(batches, reader_.layout(), reader_.padded_rows(batches.front()));
  }

  // The batches of one execution; fewer than it could take where the next has another shape, or is
  // bad.
  std::vector<Example> batches_of_one_shape() {
    std::vector<Example> batches;
    while (static_cast<int64_t>(batches.size()) < steps_wanted()) {
      std::optional<Example> batch =
          waiting_ ? std::exchange(waiting_, std::nullopt) : read_after(batches);
      if (!batch) break;
      if (!batches.empty() && !reader_.go_together(batches.front(), *batch)) {
        waiting_ = std::move(batch);
        break;
      }
      batches.push_back(std::move(*batch));
    }
    return batches;
  }

  // The batch after these. What is wrong with it is thrown when these have been trained on.
  std::optional<Example> read_after(const std::vector<Example>& batches) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    try {
      return read_next();
    } catch (...) {
      if (batches.empty()) throw;
      failure_ = std::current_exception();
      return std::nullopt;
    }
  }

  int64_t steps_wanted() const {
    if (steps_per_epoch_ < 0) return steps_per_execution_;
    return std::min(steps_per_execution_, steps_per_epoch_ - steps_read_);
  }
  int64_t in_epoch(int64_t steps) const {
    return steps_per_epoch_ > 0 ? steps % steps_per_epoch_ : steps;
  }

  const int64_t steps_per_execution_, steps_per_epoch_;
  const FeedPiece piece_;
  const bool keeps_last_;
  const std::string sources_;
  data::ResumableReader source_;
  BatchReader reader_;
  const StepTransfer transfer_;
  std::optional<Example> waiting_;  // read and checked, for the next execution
  Example last_used_;               // once all that was read is used; where keeps_last_
  std::optional<StepInput> padding_;
  std::exception_ptr failure_;  // of the batch after those that were given
  int64_t steps_read_ = 0;      // of the epoch

  std::mutex mutex_;           // held while an execution is made: no save() then
  std::mutex trained_mutex_;   // guards what follows; after the other
  int64_t steps_trained_ = 0;  // of the epoch
};

StepFeed::StepFeed(const data::Dataset& dataset, const StepFeedOptions& options)
    : what_(options.what), location_(options.location) {
  wait_for([&] {
    producer_ = std::make_shared<Producer>(dataset, options);
    steps_before_ = producer_->steps_trained();
    producer_->begin();
    batch_size_ = producer_->batch_size();
    pads_freely_ = producer_->pads_freely();
    padding_ = producer_->padding();
  });
  queue_ = std::make_unique<BackgroundQueue<StepInput>>(
      [producer = producer_] {
        if (spans::are_recorded()) spans::name_thread("batches of fit");
        return (*producer)();
      },
      executions_ahead);
}

std::optional<StepInput> StepFeed::next() {
  std::optional<StepInput> input;
  wait_for([&] { input = queue_->next(); });
  return input;
}

data::PipelineReport StepFeed::report() const { return producer_->report(); }
void StepFeed::done(const StepInput& input) { producer_->done(input.steps, !input.only_pads); }
void StepFeed::begin_epoch() { producer_->begin_epoch(); }
std::string StepFeed::save() { return producer_->save(); }

template <class Body>
void StepFeed::wait_for(const Body& body) {
  const Stopwatch watch;
  const spans::Span span(wait_for_input);
  try {
    body();
  } catch (const Error& error) {
    error.rethrow_within(what_, location_);
  }
  const double waited = watch.seconds();
  waited_seconds_ += waited;
  default_client()->add_input_wait(waited);
}

}  // namespace systolic::inline v0
