// Batches of samples (torch.utils.data.DataLoader).
//
//   DataLoader loader(dataset, {.batch_size = 32, .shuffle = true, .drop_last = true});
//   for (const Batch& batch : loader) step(batch["x"], batch["y"]);
#pragma once

#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "systolic/torch/data/batch.h"
#include "systolic/torch/data/dataset.h"
#include "systolic/torch/data/sampler.h"

namespace systolic::inline v0 {
namespace torch {
namespace utils {
namespace data {

// The next batch; nothing after the last.
using NextBatch = std::function<std::optional<Batch>()>;
// Makes one batch of the samples that a loader has taken, in their order; where it runs on a
// worker, it is called from the worker's thread.
using Collate = std::function<Example(const std::vector<Example>&)>;

struct DataLoaderOptions {
  int64_t batch_size = 1;                   // samples, 1 or more
  bool shuffle = false;                     // a RandomSampler; not with a sampler of your own
  std::optional<Sampler> sampler = {};      // none: in order
  int num_workers = 0;                      // more than 0: batches are made ahead, on a thread
  Collate collate_fn = {};                  // none: each array gets a batch axis
  bool drop_last = false;                   // leaves out the last batch where it is short
  int prefetch_factor = 2;                  // batches that each worker has ready
  std::optional<Generator> generator = {};  // of shuffle
};

// Runs through the batches of one epoch.
class BatchCursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;

  BatchCursor() = default;
  explicit BatchCursor(NextBatch next) : next_(std::move(next)), batch_(next_()) {}
  const Batch& operator*() const { return *batch_; }
  const Batch* operator->() const { return &*batch_; }
  BatchCursor& operator++() {
    batch_ = next_();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const BatchCursor& cursor, std::default_sentinel_t) {
    return !cursor.batch_.has_value();
  }

 private:
  NextBatch next_;
  std::optional<Batch> batch_;
};

class DataLoader {
 public:
  DataLoader(Dataset dataset, DataLoaderOptions options = {},
             SourceLocation location = SourceLocation::current());

  // Batches of an epoch.
  int64_t size() const;
  // Draws the order of an epoch, from this thread's generators, and gives its batches.
  NextBatch iterate() const;
  // The two halves of it, for loaders that divide the order: the samples of an epoch, and the batch
  // of some of them.
  std::vector<int64_t> draw_order() const;
  Batch collate(const std::vector<int64_t>& samples) const;
  BatchCursor begin() const { return BatchCursor(iterate()); }
  std::default_sentinel_t end() const { return {}; }

  const Dataset& dataset() const { return dataset_; }
  const DataLoaderOptions& options() const { return options_; }

 private:
  Dataset dataset_;
  DataLoaderOptions options_;
  Sampler sampler_;
};

}  // namespace data
}  // namespace utils
}  // namespace torch
}  // namespace systolic::inline v0
