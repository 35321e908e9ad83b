// The order in which a loader takes samples (torch.utils.data.Sampler), as torch's to the number
// for equal seeds.
//
//   DistributedSampler sampler(dataset.size(), {.num_replicas = xm::xrt_world_size(),
//                                               .rank = xm::get_ordinal(), .shuffle = true});
//   DataLoader loader(dataset, {.batch_size = 32, .sampler = sampler});
//   sampler.set_epoch(epoch);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "systolic/torch/generator.h"

namespace systolic::inline v0 {
namespace torch {
namespace utils {
namespace data {

class SampleOrder {
 public:
  virtual ~SampleOrder() = default;
  // The order of the next epoch.
  virtual std::vector<int64_t> draw() = 0;
  virtual int64_t size() const = 0;
};

// A handle: copies draw from the same.
class Sampler {
 public:
  explicit Sampler(std::shared_ptr<SampleOrder> order) : order_(std::move(order)) {}
  std::vector<int64_t> draw() const { return order_->draw(); }
  int64_t size() const { return order_->size(); }

 private:
  std::shared_ptr<SampleOrder> order_;
};

// Each sample once, in the order 0, 1, ...
class SequentialSampler : public Sampler {
 public:
  explicit SequentialSampler(int64_t samples);
};

struct RandomSamplerOptions {
  std::optional<Generator> generator = {};  // none: each epoch is seeded by the default one
};
// Each sample once, in the order of randperm.
class RandomSampler : public Sampler {
 public:
  explicit RandomSampler(int64_t samples, RandomSamplerOptions options = {});
};

struct DistributedSamplerOptions {
  int64_t num_replicas = 1;  // the ordinals that share the samples
  int64_t rank = 0;          // this ordinal, from 0 to num_replicas - 1; else an InvalidArgument
  bool shuffle = true;       // false: in the order of the dataset
  uint64_t seed = 0;         // of the order; the same on all replicas
  bool drop_last = false;  // cuts to a multiple of the replicas; else the first samples come again
};
// Every num_replicas-th sample from `rank` on, of an order that is the same on all replicas.
class DistributedSampler : public Sampler {
 public:
  explicit DistributedSampler(int64_t samples, DistributedSamplerOptions options = {},
                              SourceLocation location = SourceLocation::current());
  // Shuffles by seed + epoch from the next draw on; without it every epoch has one order.
  void set_epoch(int64_t epoch) const;

 private:
  class Order;
  explicit DistributedSampler(std::shared_ptr<Order> order);
  std::shared_ptr<Order> shared_;
};

}  // namespace data
}  // namespace utils
}  // namespace torch
}  // namespace systolic::inline v0
