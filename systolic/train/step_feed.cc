#include "systolic/train/step_feed.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/put_together.h"
#include "systolic/data/state_archive.h"
#include "systolic/distribute/device_literal.h"
#include "systolic/trace/default_client.h"
#include "systolic/train/class_weights.h"
#include "systolic/train/input_rules.h"

namespace systolic::inline v0 {
namespace {

// One execution runs, one is ready.
constexpr size_t executions_ahead = 2;

int64_t rounded_up(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The same rows, then copies of the first one: real data, so that padding can make no NaN that a
// mask cannot hide.
Literal padded(const Literal& literal, int64_t rows) {
  if (literal.shape()[0] == rows) return literal;
  Shape shape = literal.shape();
  shape.set(0, rows);
  Literal result(literal.dtype(), shape);
  std::byte* to = result.mutable_raw();
  const size_t row_bytes = literal.byte_size() / static_cast<size_t>(literal.shape()[0]);
  std::memcpy(to, literal.raw(), literal.byte_size());
  for (std::byte* row = to + literal.byte_size(); row < to + result.byte_size(); row += row_bytes) {
    std::memcpy(row, literal.raw(), row_bytes);
  }
  return result;
}

std::vector<std::string> names_of(const std::vector<NetworkPort>& ports) {
  std::vector<std::string> names;
  for (const NetworkPort& port : ports) names.push_back(port.name);
  return names;
}

// A feed's state between two steps.
struct FeedState {
  std::string iterator;          // behind all that was read
  std::vector<Example> batches;  // of these, those of later steps
  int64_t steps_in_epoch = 0;    // that were done
  int64_t batch_size = 0;        // rows of a full one: the next may be short

  void transfer(data::StateArchive& archive) {
    archive.expect("batches of fit");
    archive.text(iterator);
    archive.elements(batches);
    archive.integer(steps_in_epoch, 0, std::numeric_limits<int64_t>::max());
    archive.integer(batch_size, 0, std::numeric_limits<int32_t>::max());
  }
};

FeedState restored(const StepFeedOptions& options) {
  FeedState state;
  if (options.state.empty()) return state;
  data::StateArchive archive(options.state);
  state.transfer(archive);
  archive.expect_end();
  if (options.steps_per_epoch < 0 || state.steps_in_epoch <= options.steps_per_epoch) return state;
  raise<FailedPrecondition>(
      {.what = str("the input's state is that of step ", state.steps_in_epoch, " of an epoch"),
       .wanted = str("one of epochs of ", options.steps_per_epoch, " steps"),
       .hint = "give fit the steps_per_epoch that it had when the state was saved"});
}

}  // namespace

// Reads, checks, pads and transfers; runs on the queue's thread.
class StepFeed::Producer {
 public:
  Producer(const data::Dataset& dataset, StepFeedOptions options)
      : Producer(dataset, restored(options), std::move(options)) {}

  // Reads the first batch and has the model built for it.
  void begin() { waiting_ = read(); }

  std::optional<StepInput> operator()() {
    const std::lock_guard lock(mutex_);
    const std::vector<Example> batches = batches_of_one_shape();
    if (batches.empty()) return std::nullopt;
    steps_done_ += static_cast<int64_t>(batches.size());
    if (options_.steps_per_epoch > 0) steps_done_ %= options_.steps_per_epoch;
    return transferred(batches);
  }

  void done(int64_t steps) {
    if (!options_.keeps_state) return;
    const std::lock_guard lock(ahead_mutex_);
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(steps));
    steps_trained_ += steps;
  }
  void begin_epoch() {
    const std::lock_guard lock(ahead_mutex_);
    steps_trained_ = 0;
  }

  // Waits for the execution that is being made.
  std::string save() {
    const std::lock_guard lock(mutex_);
    const std::lock_guard ahead_lock(ahead_mutex_);
    FeedState state{.iterator = iterator_.save(),
                    .batches = {},
                    .steps_in_epoch = steps_trained_,
                    .batch_size = batch_size_};
    state.batches.assign(ahead_.begin(), ahead_.end());
    state.batches.insert(state.batches.end(), saved_.begin(), saved_.end());
    data::StateArchive archive;
    state.transfer(archive);
    return archive.finish();
  }

  data::PipelineReport report() const { return iterator_.report(); }
  int64_t steps_trained() const { return steps_trained_; }

 private:
  Producer(const data::Dataset& dataset, const FeedState& state, StepFeedOptions&& options)
      : options_(std::move(options)),
        input_names_(names_of(options_.inputs)),
        iterator_(options_.state.empty() ? dataset.iterator() : dataset.iterator(state.iterator)),
        client_(default_client()),
        saved_(state.batches.begin(), state.batches.end()),
        batch_size_(state.batch_size),
        steps_done_(options_.steps_per_epoch > 0 ? state.steps_in_epoch % options_.steps_per_epoch
                                                 : state.steps_in_epoch),
        steps_trained_(state.steps_in_epoch) {}

  // Of one execution; fewer than it could take where the next has another shape, or is bad.
  std::vector<Example> batches_of_one_shape() {
    std::vector<Example> batches;
    while (static_cast<int64_t>(batches.size()) < steps_wanted()) {
      std::optional<Example> batch =
          waiting_ ? std::exchange(waiting_, std::nullopt) : read_behind(batches);
      if (!batch) break;
      if (!batches.empty() && !goes_with(batches.front(), *batch)) {
        waiting_ = std::move(batch);
        break;
      }
      batches.push_back(std::move(*batch));
    }
    return batches;
  }

  // The next batch. What is wrong with it is thrown when those before it have been trained on.
  std::optional<Example> read_behind(const std::vector<Example>& batches) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    try {
      return read();
    } catch (...) {
      if (batches.empty()) throw;
      failure_ = std::current_exception();
      return std::nullopt;
    }
  }

  std::optional<Example> next_of_dataset() {
    if (saved_.empty()) return iterator_.next();
    Example batch = std::move(saved_.front());
    saved_.pop_front();
    return batch;
  }

  std::optional<Example> read() {
    std::optional<Example> batch = ended_ ? std::nullopt : next_of_dataset();
    ended_ = !batch;
    if (!batch) return batch;
    if (options_.keeps_state) {
      const std::lock_guard lock(ahead_mutex_);
      ahead_.push_back(*batch);
    }
    add_defaults(*batch, options_.inputs);
    if (!layout_) learn(*batch);
    if (!options_.class_weight.empty()) weigh_classes(*batch);
    check(*batch);
    return batch;
  }

  // Steps of one execution have one shape, but for rows that are padded.
  bool goes_with(const Example& first, const Example& batch) const {
    if (!why_not_padded_.empty() && rows_of(first) != rows_of(batch)) return false;
    const std::vector<size_t> components = layout_->order();
    return std::all_of(components.begin(), components.end(), [&](size_t i) {
      const Literal &a = first.value(i), &b = batch.value(i);
      return a.dtype() == b.dtype() && a.shape().without(0) == b.shape().without(0);
    });
  }

  int64_t steps_wanted() const {
    if (options_.steps_per_epoch < 0) return options_.steps_per_execution;
    return std::min(options_.steps_per_execution, options_.steps_per_epoch - steps_done_);
  }

  static int64_t rows_of(const Example& batch) { return batch.value(0).shape()[0]; }

  void check(const Example& batch) {
    check_rows(batch, layout_->order());
    batch_size_ = std::max(batch_size_, rounded_up(rows_of(batch), options_.cores));
    check_divides(batch);
    for (size_t i = 0; i < layout_->inputs.size(); ++i) {
      check_range(batch, layout_->inputs[i], options_.inputs[i].rules, batches_seen_);
    }
    for (size_t i = 0; i < layout_->labels.size() && i < rules_.labels.size(); ++i) {
      check_labels(batch, layout_->labels[i], rules_.labels[i]);
    }
    ++batches_seen_;
  }

  static void check_rows(const Example& batch, const std::vector<size_t>& components) {
    const int64_t rows = rows_of(batch);
    for (const size_t i : components) {
      const Literal& value = batch.value(i);
      if (value.rank() == 0 || value.shape()[0] != rows || rows == 0) {
        raise<InvalidArgument>(
            {.what = str("component '", batch.name(i), "' of a batch has shape ", value.shape()),
             .wanted = str("a batch axis of ", rows == 0 ? "at least one row" : str(rows)),
             .hint = "batch() the dataset"});
      }
    }
  }

  void check_divides(const Example& batch) const {
    const int64_t rows = rows_of(batch);
    if (!why_not_padded_.empty() && rows % options_.cores != 0) {
      raise<InvalidArgument>(
          {.what = str("a batch of ", rows, " rows over ", options_.cores,
                       " cores needs rows that only pad, but ", why_not_padded_),
           .wanted = str("a multiple of ", options_.cores, " rows"),
           .hint = "give one loss for each sample, or batch(n, {.drop_remainder = true})"});
    }
  }

  static void want_batch_axis(const Example& batch) {
    if (!batch.empty() && batch.value(0).rank() > 0) return;
    raise<InvalidArgument>({.what = str("the dataset's elements are ", to_string(batch)),
                            .wanted = "arrays with a batch axis",
                            .hint = "batch() the dataset"});
  }

  void learn(const Example& batch) {
    want_batch_axis(batch);
    if (options_.on_first_batch) options_.on_first_batch(batch);
    batch_size_ = rounded_up(std::max(rows_of(batch), batch_size_), options_.cores);
    const std::vector<size_t> inputs = BatchLayout::of_inputs(batch, input_names_).inputs;
    std::vector<size_t> used = inputs;
    for (size_t i = 0; i < batch.size() && options_.wants_labels; ++i) used.push_back(i);
    check_rows(batch, used);
    rules_ = options_.build(types_of(batch, inputs));
    for (const InputRange& range : rules_.inputs) {
      std::optional<int64_t>& below = options_.inputs.at(range.input).rules.values_below;
      below = std::min(below.value_or(range.limit), range.limit);
    }
    layout_ = BatchLayout::of(batch, input_names_, rules_.output_names, options_.wants_labels);
    learn_class_weights(batch.size());
    if (!rules_.why_not_padded) return;
    std::vector<size_t> components = layout_->inputs;
    components.insert(components.end(), layout_->labels.begin(), layout_->labels.end());
    why_not_padded_ = rules_.why_not_padded(types_of(batch, components));
  }

  void learn_class_weights(size_t components) {
    if (options_.class_weight.empty()) return;
    if (layout_->labels.empty()) {
      raise<InvalidArgument>(
          {.what = "class_weight for a model without labels: compile gave it no loss"});
    }
    check_class_weights(options_.class_weight, rules_.labels.front(), rules_.output_names.size());
    if (!layout_->sample_weight) layout_->sample_weight = components;
  }

  // The classes' weights as a component behind the others, or times the sample weights.
  void weigh_classes(Example& batch) const {
    const size_t label = layout_->labels.front(), place = *layout_->sample_weight;
    Literal weights = weights_of_classes(batch.value(label), batch.name(label),
                                         options_.class_weight, rules_.labels.front());
    const bool given = place < batch.size();
    if (given) weights = multiply_weights(batch.value(place), weights);
    batch.set(given ? batch.name(place) : "sample_weight", std::move(weights));
  }

  // On the device, with the rows of a full batch.
  std::vector<ir::Type> types_of(const Example& batch,
                                 const std::vector<size_t>& components) const {
    std::vector<ir::Type> types;
    for (const size_t i : components) {
      const Literal value = device_literal(batch.value(i), batch.name(i));
      Shape shape = value.shape();
      if (shape.rank() > 0) shape.set(0, batch_size_);
      types.push_back({value.dtype(), shape});
    }
    return types;
  }

  void check_labels(const Example& batch, size_t component, const LabelRange& range) const {
    const Literal& labels = batch.value(component);
    const int64_t classes = range.classes;
    if (classes < 0 || !is_integer(labels.dtype())) return;
    for (int64_t i = 0; i < labels.size(); ++i) {
      const int64_t label = labels.integer_at(i);
      if ((label >= 0 && label < classes) || label == range.ignored) continue;
      raise<InvalidArgument>(
          {.what = str("label ", label, " in '", batch.name(component), "', row ", i, " of batch ",
                       batches_seen_),
           .wanted =
               str("0 to ", classes - 1, ": the model's last layer has ", classes, " outputs"),
           .hint = "give the last layer more units, or map the labels to a smaller range"});
    }
  }

  StepInput transferred(const std::vector<Example>& batches) {
    StepInput input;
    input.inputs = layout_->inputs.size();
    input.labels = layout_->labels.size();
    input.has_weights = layout_->sample_weight.has_value();
    input.batch_size = why_not_padded_.empty() ? batch_size_ : rows_of(batches.front());
    input.steps_per_execution = options_.steps_per_execution;
    input.steps = static_cast<int64_t>(batches.size());
    bool all_full = true;
    for (const Example& batch : batches) {
      input.samples += rows_of(batch);
      all_full = all_full && rows_of(batch) == input.batch_size;
    }
    for (size_t component : layout_->order()) {
      std::vector<Literal> steps;
      for (const Example& batch : batches) {
        const Literal rows = device_literal(batch.value(component), batch.name(component));
        steps.push_back(padded(rows, input.batch_size));
      }
      input.names.push_back(batches.front().name(component));
      input.types.push_back({steps.front().dtype(), steps.front().shape()});
      input.buffers.push_back(to_device(std::move(steps), batches.front().name(component)));
    }
    if (!all_full) input.mask = to_device(masks(batches), "mask");
    return input;
  }

  std::vector<Literal> masks(const std::vector<Example>& batches) const {
    std::vector<Literal> result;
    for (const Example& batch : batches) {
      Literal mask = Literal::zeros(DType::pred, {batch_size_});
      auto values = mask.mutable_data<bool>();
      std::fill_n(values.begin(), rows_of(batch), true);
      result.push_back(std::move(mask));
    }
    return result;
  }

  // An execution holds the batches of all its steps, those that are missing at the end included.
  void want_fitting(const Literal& step, const std::string& name) const {
    const double needed =
        static_cast<double>(options_.steps_per_execution) * static_cast<double>(step.byte_size());
    const double available = static_cast<double>(client_->kind().generation.memory_bytes_per_core) *
                             static_cast<double>(options_.cores);
    if (needed <= available) return;
    raise<ResourceExhausted>(
        {.what = str("component '", name, "' of ", options_.steps_per_execution,
                     " steps in one execution needs ",
                     bytes_text(static_cast<int64_t>(std::min(needed, 0x1p62)))),
         .wanted = str("at most ", bytes_text(static_cast<int64_t>(available))),
         .hint = "compile with a smaller steps_per_execution",
         .location = options_.location});
  }

  // [steps, batch, ...]; copies of the first stand for those that are missing.
  Literal one_execution(const std::vector<Literal>& steps, const std::string& name) const {
    want_fitting(steps.front(), name);
    const Literal real =
        stacked(steps, {.what = str("component '", name, "'"), .unit = "batch", .hint = {}});
    return padded(real, options_.steps_per_execution);
  }

  runtime::BufferPtr to_device(std::vector<Literal> steps, const std::string& name) {
    const bool several = options_.steps_per_execution > 1;
    const Literal whole = several ? one_execution(steps, name) : steps.front();
    runtime::Placement placement;
    if (options_.cores > 1) {
      placement.kind = runtime::Placement::Kind::sharded;
      placement.sharding = ir::Sharding::along(several ? 1 : 0, whole.rank(), options_.cores);
    }
    return client_->from_host(whole, placement);
  }

  StepFeedOptions options_;
  std::vector<std::string> input_names_;
  data::Iterator iterator_;
  runtime::ClientPtr client_;
  StepRules rules_;
  std::string why_not_padded_;
  std::optional<BatchLayout> layout_;
  std::optional<Example> waiting_;  // read and checked, for the next execution
  std::exception_ptr failure_;      // of the batch behind those that were given
  std::deque<Example> saved_;       // what a restored state still has to give
  bool ended_ = false;
  int64_t batch_size_ = 0;  // rows of the largest batch so far, and those that pad it
  int64_t steps_done_ = 0;  // of the epoch, read ahead
  int64_t batches_seen_ = 0;

  std::mutex mutex_;           // held while an execution is made: no save() then
  std::mutex ahead_mutex_;     // guards what follows; after the other
  std::deque<Example> ahead_;  // read and not done, as the dataset gives them; with keeps_state
  int64_t steps_trained_ = 0;  // of the epoch
};

StepFeed::StepFeed(const data::Dataset& dataset, StepFeedOptions options)
    : what_(options.what), location_(options.location) {
  wait_for([&] {
    producer_ = std::make_shared<Producer>(dataset, std::move(options));
    steps_before_ = producer_->steps_trained();
    producer_->begin();
  });
  queue_ = std::make_unique<BackgroundQueue<StepInput>>(
      [producer = producer_] { return (*producer)(); }, executions_ahead);
}

std::optional<StepInput> StepFeed::next() {
  std::optional<StepInput> input;
  wait_for([&] { input = queue_->next(); });
  return input;
}

data::PipelineReport StepFeed::report() const { return producer_->report(); }
void StepFeed::done(const StepInput& input) { producer_->done(input.steps); }
void StepFeed::begin_epoch() { producer_->begin_epoch(); }
std::string StepFeed::save() { return producer_->save(); }

template <class Body>
void StepFeed::wait_for(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  try {
    body();
  } catch (const Error& error) {
    error.rethrow_within(what_, location_);
  }
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  waited_seconds_ += waited.count();
  default_client()->add_input_wait(waited.count());
}

}  // namespace systolic::inline v0
