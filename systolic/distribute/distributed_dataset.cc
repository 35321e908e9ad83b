#include "systolic/distribute/distributed_dataset.h"

#include <mutex>
#include <optional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/base/threads/background_queue.h"
#include "systolic/core/put_together.h"
#include "systolic/data/resumable_reader.h"
#include "systolic/data/state/state_archive.h"
#include "systolic/runtime/device_literal.h"
#include "systolic/runtime/known_to_host.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/feed.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

// Batches that wait on the device: one is being computed, one is ready.
constexpr size_t batches_ahead = 2;

struct DeviceBatch {
  std::vector<std::string> names;
  std::vector<runtime::BufferPtr> buffers;  // per core, where there are several
};

// [batch, ...] -> [cores, batch / cores, ...]
Literal split_over_cores(const Literal& literal, int64_t cores, const std::string& name) {
  if (literal.rank() == 0 || literal.shape()[0] % cores != 0) {
    raise<InvalidArgument>(
        {.what = str("component '", name, "' of shape ", literal.shape(),
                     " cannot be divided over ", cores, " cores"),
         .wanted = "a batch size that is a multiple of the number of cores",
         .hint = str("batch(n, {.drop_remainder = true}) with n a multiple of ", cores)});
  }
  std::vector<int64_t> dims = literal.shape().to_vector();
  dims[0] /= cores;
  dims.insert(dims.begin(), cores);
  return literal.reshape(Shape(dims));
}

// One batch a core -> [cores, batch, ...]
Literal one_a_core(const std::vector<Example>& parts, size_t component) {
  std::vector<Literal> values;
  for (const Example& part : parts) values.push_back(part.value(component));
  return stacked(values, {.what = str("component '", parts.front().name(component), "'"),
                          .unit = "the batch of core",
                          .hint = "use batch(n, {.drop_remainder = true})"});
}

// Fetches and transfers, on the queue's thread.
class Transfer {
 public:
  Transfer(const DistributedDataset& dataset, std::string_view saved)
      : Transfer(dataset, restored(dataset, saved)) {}

  std::optional<DeviceBatch> operator()() {
    const std::lock_guard lock(mutex_);
    std::vector<Example> parts;
    while (static_cast<int64_t>(parts.size()) < elements_a_batch_) {
      std::optional<Example> element = source_.next();
      if (!element) return std::nullopt;  // a remainder too small for all cores is not a step
      parts.push_back(std::move(*element));
    }
    DeviceBatch batch;
    for (size_t i = 0; i < parts.front().size(); ++i) {
      const std::string& name = parts.front().name(i);
      batch.names.push_back(name);
      batch.buffers.push_back(to_device(parts, i, name));
    }
    return batch;
  }

  // The first of the batches that were made has been taken.
  void taken() { source_.done(elements_a_batch_); }

  // Waits for the batch that is being made.
  std::string save() {
    const std::lock_guard lock(mutex_);
    data::ResumableReader::Place place = source_.place();
    data::StateArchive archive;
    transfer(archive, place, elements_a_batch_);
    return archive.finish();
  }

  data::PipelineReport report() const { return source_.report(); }

 private:
  static void transfer(data::StateArchive& archive, data::ResumableReader::Place& place,
                       int64_t elements_a_batch) {
    archive.expect("batches for the cores");
    archive.expect("elements in a batch", elements_a_batch);
    place.transfer(archive);
  }

  static int64_t elements_a_batch(const DistributedDataset& dataset) {
    return dataset.batch_is() == DistributedDataset::BatchIs::per_core ? dataset.replicas() : 1;
  }
  static data::ResumableReader::Place restored(const DistributedDataset& dataset,
                                               std::string_view saved) {
    data::ResumableReader::Place place;
    if (saved.empty()) return place;
    data::StateArchive archive(saved);
    transfer(archive, place, elements_a_batch(dataset));
    archive.expect_end();
    return place;
  }
  Transfer(const DistributedDataset& dataset, data::ResumableReader::Place place)
      : source_(dataset.dataset(), std::move(place), true),
        one_core_(dataset.topology().cores() == 1),
        replicas_(dataset.replicas()),
        per_core_(dataset.batch_is() == DistributedDataset::BatchIs::per_core),
        elements_a_batch_(elements_a_batch(dataset)),
        client_(default_client()) {}

  runtime::BufferPtr to_device(const std::vector<Example>& parts, size_t component,
                               const std::string& name) {
    if (one_core_) {
      return runtime::known_to_host(*client_,
                                    runtime::device_literal(parts.front().value(component), name));
    }
    const Literal whole = per_core_
                              ? one_a_core(parts, component)
                              : split_over_cores(parts.front().value(component), replicas_, name);
    return runtime::known_to_host(*client_, runtime::device_literal(whole, name),
                                  {.kind = runtime::Placement::Kind::per_core});
  }

  data::ResumableReader source_;
  const bool one_core_;  // of all processes: then there is nothing to split
  const int64_t replicas_;
  const bool per_core_;
  const int64_t elements_a_batch_;
  const runtime::ClientPtr client_;
  std::mutex mutex_;  // held while a batch is made: no save() then
};

}  // namespace

DistributedDataset::DistributedDataset(data::Dataset dataset, runtime::Topology topology,
                                       BatchIs batch_is)
    : dataset_(std::move(dataset)), topology_(std::move(topology)), batch_is_(batch_is) {}

struct DistributedIterator::State {
  State(DistributedDataset of, std::string_view saved) : dataset(std::move(of)) { start(saved); }

  void start(std::string_view saved) {
    auto restored = std::make_shared<Transfer>(dataset, saved);  // or throws, and nothing changed
    queue.reset();
    waiting.reset();
    transfer = std::move(restored);
    queue = std::make_unique<BackgroundQueue<DeviceBatch>>(
        [source = transfer] { return (*source)(); }, batches_ahead);
  }

  // The next batch without taking it; null after the last.
  DeviceBatch* peek(SourceLocation location) try {
    if (!waiting) {
      const Stopwatch watch;
      waiting = queue->next();
      default_client()->add_input_wait(watch.seconds());
    }
    return waiting ? &*waiting : nullptr;
  } catch (const Error& error) {
    error.rethrow_within("", location);
  }
  DeviceBatch take(SourceLocation location) {
    if (peek(location) == nullptr) {
      raise<OutOfRange>({.what = "next() after the last batch of the dataset",
                         .hint = "add repeat() to the dataset, or ask has_next() first",
                         .location = location});
    }
    transfer->taken();
    return *std::exchange(waiting, std::nullopt);
  }

  const DistributedDataset dataset;
  std::shared_ptr<Transfer> transfer;
  std::optional<DeviceBatch> waiting;
  std::unique_ptr<BackgroundQueue<DeviceBatch>> queue;
};

BatchIterator DistributedDataset::begin(SourceLocation location) const {
  if (Trace::current().kind() != Trace::Kind::implicit) {
    raise<Unimplemented>(
        {.what = "a loop over a distributed dataset while `function` traces the program",
         .hint = "loop outside of the function, or inside it with for_range(steps, [&](const "
                 "Tensor&) { ... next(iterator) ... })",
         .location = location});
  }
  return {iter(*this), location};
}

DistributedIterator::DistributedIterator(const DistributedDataset& dataset)
    : state_(std::make_shared<State>(dataset, "")) {}

DistributedIterator::DistributedIterator(const DistributedDataset& dataset, std::string_view saved)
    : DistributedIterator(dataset) {
  restore(saved);
}

std::string DistributedIterator::save() { return state_->transfer->save(); }

void DistributedIterator::restore(std::string_view saved) {
  if (saved.empty()) raise<DataLoss>({.what = "the state of an iterator is empty"});
  state_->start(saved);
}

data::PipelineReport DistributedIterator::report() const { return state_->transfer->report(); }

bool DistributedIterator::has_next(SourceLocation location) {
  return state_->peek(location) != nullptr;
}

namespace {

Batch named(const std::vector<std::string>& names, const std::vector<Tensor>& tensors) {
  std::vector<std::pair<std::string, Tensor>> components;
  for (size_t i = 0; i < names.size(); ++i) components.emplace_back(names[i], tensors[i]);
  return Batch(std::move(components));
}

void check_shapes(const DeviceBatch& batch, const std::vector<FeedValue>& traced) {
  for (size_t i = 0; i < traced.size(); ++i) {
    if (batch.buffers[i]->type() == traced[i].type) continue;
    raise<InvalidArgument>(
        {.what = str("component '", batch.names[i], "' of the batch is ",
                     to_string(batch.buffers[i]->type()), " on each core"),
         .wanted = str(to_string(traced[i].type), " as when the function was traced"),
         .hint = "use batch(n, {.drop_remainder = true}), so that every batch has one shape"});
  }
}

}  // namespace

Batch DistributedIterator::next(SourceLocation location) {
  if (Trace::current().kind() == Trace::Kind::implicit) {
    DeviceBatch batch = state_->take(location);
    std::vector<Tensor> tensors;
    for (auto& buffer : batch.buffers) tensors.push_back(tensor_of(std::move(buffer)));
    return named(batch.names, tensors);
  }
  DeviceBatch* first = state_->peek(location);
  if (first == nullptr) state_->take(location);
  std::vector<FeedValue> values;
  for (const auto& buffer : first->buffers) {
    values.push_back({buffer->type(),
                      {.uniform = buffer->placement().kind != runtime::Placement::Kind::per_core}});
  }
  const std::vector<std::string> names = first->names;
  auto pull = [state = state_, values, location] {
    DeviceBatch batch = state->take(location);
    check_shapes(batch, values);
    return std::move(batch.buffers);
  };
  return named(names, add_feed(values, std::move(pull), location));
}

}  // namespace systolic::inline v0
