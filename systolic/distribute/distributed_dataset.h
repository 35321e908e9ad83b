// Batches that lie on the cores: what strategy.run takes.
//
//   DistributedDataset train = strategy.distribute_dataset(dataset);
//   DistributedIterator iterator = iter(train);
//   strategy.run(train_step, next(iterator));       // or next(iterator) inside `function`
//   for (const Batch& batch : train) strategy.run(train_step, batch);   // once through the data
//   std::cout << to_string(iterator.report());      // what limits it
//   const std::string state = iterator.save();      // for iter(train, state) in the next run
//
// A separate thread fetches batches and copies them to the device ahead of time. int64 components
// become int32, as TPUs need, with a check that the values fit; this is logged once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/data/dataset.h"
#include "systolic/distribute/batch.h"
#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {

class BatchIterator;

class DistributedDataset {
 public:
  enum class BatchIs : uint8_t {
    global,    // one batch of the dataset is split over the cores
    per_core,  // each core takes a batch of its own
  };
  DistributedDataset(data::Dataset dataset, runtime::Topology topology, BatchIs batch_is);

  const data::Dataset& dataset() const { return dataset_; }
  // The cores of this process, which take its batches.
  int64_t replicas() const { return topology_.local_cores(); }
  const runtime::Topology& topology() const { return topology_; }
  BatchIs batch_is() const { return batch_is_; }
  // Starts at the first batch, for range-based for loops. Unimplemented while `function` traces:
  // the host counts the rounds of a loop over data, see for_range.
  BatchIterator begin(SourceLocation location = SourceLocation::current()) const;
  std::default_sentinel_t end() const { return {}; }
  friend auto trace_key(const DistributedDataset& dataset) {
    return std::tuple(dataset.dataset_.node(), dataset.replicas(), dataset.batch_is_);
  }

 private:
  data::Dataset dataset_;
  runtime::Topology topology_;
  BatchIs batch_is_;
};

// Hands out batches in order. Copies share the position.
class DistributedIterator {
 public:
  explicit DistributedIterator(const DistributedDataset& dataset);
  // An iterator that continues where another one was saved.
  DistributedIterator(const DistributedDataset& dataset, std::string_view saved);

  // The next batch. After the last: OutOfRange. Inside `function`: the batch that each run of the
  // program will fetch.
  Batch next(SourceLocation location = SourceLocation::current());
  // False after the last batch.
  bool has_next(SourceLocation location = SourceLocation::current());
  // The position, as bytes for a file: data::Iterator::save() after the last batch that was taken.
  // What was read ahead for the device is part of it.
  std::string save();
  // Moves this iterator, and its copies, to a place that was saved from the same dataset on as many
  // cores; a state of any other is a FailedPrecondition, a damaged one a DataLoss.
  void restore(std::string_view saved);
  // What the dataset's transformations did, and what limits them. Any thread may ask, but not
  // during restore().
  data::PipelineReport report() const;
  friend std::shared_ptr<const void> trace_key(const DistributedIterator& iterator) {
    return iterator.state_;
  }

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// For range-based for loops.
class BatchIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;

  BatchIterator(DistributedIterator iterator, SourceLocation location)
      : iterator_(std::move(iterator)), location_(location) {
    ++*this;
  }
  const Batch& operator*() const { return *batch_; }
  const Batch* operator->() const { return &*batch_; }
  BatchIterator& operator++() {
    batch_ =
        iterator_.has_next(location_) ? std::optional(iterator_.next(location_)) : std::nullopt;
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const BatchIterator& a, std::default_sentinel_t) { return !a.batch_; }

 private:
  DistributedIterator iterator_;
  SourceLocation location_;
  std::optional<Batch> batch_;
};

inline DistributedIterator iter(const DistributedDataset& dataset) {
  return DistributedIterator(dataset);
}
inline DistributedIterator iter(const DistributedDataset& dataset, std::string_view saved) {
  return DistributedIterator(dataset, saved);
}
inline Batch next(DistributedIterator& iterator,
                  SourceLocation location = SourceLocation::current()) {
  return iterator.next(location);
}

}  // namespace systolic::inline v0
