#include "systolic/train/step_feed.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/distribute/distributed_dataset.h"
#include "systolic/trace/default_client.h"

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

Literal stacked(const std::vector<Literal>& steps, int64_t count) {
  const Literal& first = steps.front();
  Literal result(first.dtype(), first.shape().with_inserted(0, count));
  std::byte* to = result.mutable_raw();
  for (int64_t i = 0; i < count; ++i) {
    const Literal& step = steps[std::min(static_cast<size_t>(i), steps.size() - 1)];
    std::memcpy(to, step.raw(), step.byte_size());
    to += step.byte_size();
  }
  return result;
}

// Reads, checks, pads and transfers; runs on the queue's thread.
class Producer {
 public:
  Producer(const data::Dataset& dataset, StepFeedOptions options)
      : options_(std::move(options)), iterator_(dataset.iterator()), client_(default_client()) {}

  std::optional<StepInput> operator()() {
    std::vector<Example> batches;
    while (static_cast<int64_t>(batches.size()) < steps_wanted()) {
      std::optional<Example> batch = iterator_.next();
      if (!batch) break;
      check(*batch);
      batches.push_back(std::move(*batch));
    }
    if (batches.empty()) return std::nullopt;
    steps_done_ += static_cast<int64_t>(batches.size());
    if (options_.steps_per_epoch > 0) steps_done_ %= options_.steps_per_epoch;
    return transferred(batches);
  }

 private:
  int64_t steps_wanted() const {
    if (options_.steps_per_epoch < 0) return options_.steps_per_execution;
    return std::min(options_.steps_per_execution, options_.steps_per_epoch - steps_done_);
  }

  static int64_t rows_of(const Example& batch) { return batch.value(0).shape()[0]; }

  void check(const Example& batch) {
    if (!layout_) learn(batch);
    const int64_t rows = rows_of(batch);
    for (size_t i : layout_->order()) {
      const Literal& value = batch.value(i);
      if (value.rank() == 0 || value.shape()[0] != rows || rows == 0) {
        raise<InvalidArgument>(
            {.what = str("component '", batch.name(i), "' of a batch has shape ", value.shape()),
             .wanted = str("a batch axis of ", rows == 0 ? "at least one row" : str(rows)),
             .hint = "batch() the dataset"});
      }
    }
    if (rows > batch_size_) {
      raise<InvalidArgument>(
          {.what = str("a batch of ", rows, " rows after batches of ", batch_size_),
           .wanted = "batches of one size; only the last may be smaller"});
    }
    for (size_t i = 0; i < layout_->labels.size() && i < options_.labels.size(); ++i) {
      check_labels(batch, layout_->labels[i], options_.labels[i]);
    }
    ++batches_seen_;
  }

  void learn(const Example& batch) {
    if (batch.empty() || batch.value(0).rank() == 0) {
      raise<InvalidArgument>({.what = str("the dataset's elements are ", to_string(batch)),
                              .wanted = "arrays with a batch axis",
                              .hint = "batch() the dataset"});
    }
    layout_ = BatchLayout::of(batch, options_.input_names, options_.outputs, options_.wants_labels);
    batch_size_ = rounded_up(rows_of(batch), options_.replicas);
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
    input.batch_size = batch_size_;
    input.steps = static_cast<int64_t>(batches.size());
    bool all_full = true;
    for (const Example& batch : batches) {
      input.samples += rows_of(batch);
      all_full = all_full && rows_of(batch) == batch_size_;
    }
    for (size_t component : layout_->order()) {
      std::vector<Literal> steps;
      for (const Example& batch : batches) {
        steps.push_back(
            device_literal(padded(batch.value(component), batch_size_), batch.name(component)));
      }
      input.types.push_back({steps.front().dtype(), steps.front().shape()});
      input.buffers.push_back(to_device(steps));
    }
    if (!all_full) input.mask = to_device(masks(batches));
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

  runtime::BufferPtr to_device(const std::vector<Literal>& steps) {
    const bool several = options_.steps_per_execution > 1;
    const Literal whole = several ? stacked(steps, options_.steps_per_execution) : steps.front();
    runtime::Placement placement;
    if (options_.replicas > 1) {
      placement.kind = runtime::Placement::Kind::sharded;
      placement.sharding = ir::Sharding::along(several ? 1 : 0, whole.rank(), options_.replicas);
    }
    return client_->from_host(whole, placement);
  }

  StepFeedOptions options_;
  data::Iterator iterator_;
  runtime::ClientPtr client_;
  std::optional<BatchLayout> layout_;
  int64_t batch_size_ = 0;
  int64_t steps_done_ = 0;
  int64_t batches_seen_ = 0;
};

}  // namespace

StepFeed::StepFeed(const data::Dataset& dataset, StepFeedOptions options)
    : queue_(std::make_unique<BackgroundQueue<StepInput>>(
          [producer = std::make_shared<Producer>(dataset, std::move(options))] {
            return (*producer)();
          },
          executions_ahead)) {}

std::optional<StepInput> StepFeed::next() {
  const auto start = std::chrono::steady_clock::now();
  std::optional<StepInput> input = queue_->next();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  waited_seconds_ += seconds;
  default_client()->add_input_wait(seconds);
  return input;
}

}  // namespace systolic::inline v0
