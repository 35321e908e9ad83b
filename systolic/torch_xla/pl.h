// Loaders that mark the steps (torch_xla.distributed.parallel_loader, imported as pl).
//
//   pl::ParallelLoader para_loader(train_loader, {device});
//   for (const auto& batch : para_loader.per_device_loader(device)) train(batch["ids"], ...);
//
// Each batch that is taken marks a step: what the loop's last round traced runs then, on all
// ordinals, and so it does after the last batch. Batches are made ahead, on a thread. Ordinals
// whose loaders end at different times are a FailedPrecondition.
#pragma once

#include <functional>
#include <iterator>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/torch/data/data_loader.h"
#include "systolic/torch/device.h"

namespace systolic::inline v0 {
namespace pl {

struct ParallelLoaderOptions {
  int64_t batches_per_execution = 1;  // batches of one step: this many rounds run as one program
  int64_t loader_prefetch_size = 16;  // batches that are made ahead
  int64_t device_prefetch_size = 8;   // accepted: a step's arrays go to the device with it
};

// The batches of one epoch.
class PerDeviceLoader {
 public:
  torch::utils::data::BatchCursor begin() const { return torch::utils::data::BatchCursor(next_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class ParallelLoader;
  explicit PerDeviceLoader(torch::utils::data::NextBatch next) : next_(std::move(next)) {}
  torch::utils::data::NextBatch next_;
};

class ParallelLoader {
 public:
  // Runs through one epoch: make another for the next. One device, this ordinal's.
  ParallelLoader(const torch::utils::data::DataLoader& loader,
                 const std::vector<torch::Device>& devices, ParallelLoaderOptions options = {},
                 SourceLocation location = SourceLocation::current());
  // A pipeline of batches, such as data::tfrecords(...).shard(world_size, ordinal).batch(32): what
  // torch_xla's reader of TFRecords was for.
  ParallelLoader(const data::Dataset& batches, const std::vector<torch::Device>& devices,
                 ParallelLoaderOptions options = {},
                 SourceLocation location = SourceLocation::current());

  // A second call in an epoch is a FailedPrecondition.
  PerDeviceLoader per_device_loader(const torch::Device& device,
                                    SourceLocation location = SourceLocation::current());

 private:
  ParallelLoader(std::function<torch::utils::data::NextBatch()> iterate,
                 const std::vector<torch::Device>& devices, ParallelLoaderOptions options,
                 SourceLocation location);
  std::function<torch::utils::data::NextBatch()> iterate_;
  torch::Device device_;
  ParallelLoaderOptions options_;
  bool taken_ = false;
};

// The newer form: may be run through once an epoch.
//
//   pl::MpDeviceLoader loader(train_loader, torch_xla::device());
class MpDeviceLoader {
 public:
  MpDeviceLoader(torch::utils::data::DataLoader loader, torch::Device device,
                 ParallelLoaderOptions options = {},
                 SourceLocation location = SourceLocation::current())
      : loader_(std::move(loader)),
        device_(std::move(device)),
        options_(options),
        location_(location) {}

  int64_t size() const { return loader_.size(); }
  torch::utils::data::BatchCursor begin() const {
    return ParallelLoader(loader_, {device_}, options_, location_)
        .per_device_loader(device_, location_)
        .begin();
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  torch::utils::data::DataLoader loader_;
  torch::Device device_;
  ParallelLoaderOptions options_;
  SourceLocation location_;
};

}  // namespace pl
}  // namespace systolic::inline v0
