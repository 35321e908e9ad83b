#include "systolic/torch_xla/pl.h"

#include <memory>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/threads/background_queue.h"
#include "systolic/torch_xla/sync.h"

namespace systolic::inline v0 {
namespace pl {
namespace {

using torch::utils::data::Batch;
using torch::utils::data::NextBatch;

// Marks a step before each batch that begins one, and at the end.
class SteppedBatches {
 public:
  SteppedBatches(NextBatch source, const ParallelLoaderOptions& options, SourceLocation location)
      : queue_(std::move(source), static_cast<size_t>(options.loader_prefetch_size)),
        batches_a_step_(options.batches_per_execution),
        location_(location) {}

  std::optional<Batch> next() {
    if (ended_) return std::nullopt;
    if (taken_ % batches_a_step_ == 0) torch_xla::sync_at("a loader's next batch", location_);
    std::optional<Batch> batch = queue_.next();
    ended_ = !batch.has_value();
    if (ended_) torch_xla::sync_at("a loader's end", location_);
    ++taken_;
    return batch;
  }

 private:
  BackgroundQueue<Batch> queue_;
  const int64_t batches_a_step_;
  const SourceLocation location_;
  int64_t taken_ = 0;
  bool ended_ = false;
};

}  // namespace

ParallelLoader::ParallelLoader(std::function<NextBatch()> iterate,
                               const std::vector<torch::Device>& devices,
                               ParallelLoaderOptions options, SourceLocation location)
    : iterate_(std::move(iterate)), options_(options) {
  if (devices.size() != 1 || !devices.front().is_xla()) {
    raise<InvalidArgument>({.what = str("ParallelLoader for ", devices.size(), " devices"),
                            .wanted = "one: {xm::xla_device()}",
                            .location = location});
  }
  device_ = devices.front();
  if (options.batches_per_execution >= 1 && options.loader_prefetch_size >= 1) return;
  raise<InvalidArgument>(
      {.what = str("ParallelLoader with batches_per_execution ", options.batches_per_execution,
                   ", loader_prefetch_size ", options.loader_prefetch_size),
       .wanted = "1 or more of each",
       .location = location});
}

ParallelLoader::ParallelLoader(const torch::utils::data::DataLoader& loader,
                               const std::vector<torch::Device>& devices,
                               ParallelLoaderOptions options, SourceLocation location)
    : ParallelLoader([loader] { return loader.iterate(); }, devices, options, location) {}

ParallelLoader::ParallelLoader(const data::Dataset& batches,
                               const std::vector<torch::Device>& devices,
                               ParallelLoaderOptions options, SourceLocation location)
    : ParallelLoader(
          [batches]() -> NextBatch {
            const auto iterator = std::make_shared<data::Iterator>(batches.iterator());
            return [iterator]() -> std::optional<Batch> {
              const std::optional<Example> element = iterator->next();
              if (!element) return std::nullopt;
              return Batch(*element);
            };
          },
          devices, options, location) {}

PerDeviceLoader ParallelLoader::per_device_loader(const torch::Device& device,
                                                  SourceLocation location) {
  if (!(device == device_)) {
    raise<InvalidArgument>({.what = str("per_device_loader(", torch::to_string(device), ")"),
                            .wanted = torch::to_string(device_),
                            .location = location});
  }
  if (std::exchange(taken_, true)) {
    raise<FailedPrecondition>({.what = "per_device_loader() of a ParallelLoader that was run "
                                       "through already",
                               .hint = "make a new ParallelLoader in each epoch, or use "
                                       "MpDeviceLoader",
                               .location = location});
  }
  const auto batches = std::make_shared<SteppedBatches>(iterate_(), options_, location);
  return PerDeviceLoader([batches] { return batches->next(); });
}

}  // namespace pl
}  // namespace systolic::inline v0
