#include "systolic/torch/data/sampler.h"

#include <numeric>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace torch {
namespace utils {
namespace data {
namespace {

std::vector<int64_t> in_order(int64_t samples) {
  std::vector<int64_t> order(static_cast<size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

class SequentialOrder final : public SampleOrder {
 public:
  explicit SequentialOrder(int64_t samples) : samples_(samples) {}
  std::vector<int64_t> draw() override { return in_order(samples_); }
  int64_t size() const override { return samples_; }

 private:
  const int64_t samples_;
};

class RandomOrder final : public SampleOrder {
 public:
  RandomOrder(int64_t samples, std::optional<Generator> generator)
      : samples_(samples), generator_(std::move(generator)) {}
  std::vector<int64_t> draw() override {
    if (generator_) {
      std::vector<int64_t> order = randperm(samples_, generator_);
      randperm(samples_, generator_);  // torch draws once more when the epoch ends
      return order;
    }
    return randperm(samples_, Generator(static_cast<uint64_t>(default_generator().random_seed())));
  }
  int64_t size() const override { return samples_; }

 private:
  const int64_t samples_;
  const std::optional<Generator> generator_;
};

}  // namespace

SequentialSampler::SequentialSampler(int64_t samples)
    : Sampler(std::make_shared<SequentialOrder>(samples)) {}

RandomSampler::RandomSampler(int64_t samples, RandomSamplerOptions options)
    : Sampler(std::make_shared<RandomOrder>(samples, std::move(options.generator))) {}

class DistributedSampler::Order final : public SampleOrder {
 public:
  Order(int64_t samples, DistributedSamplerOptions options)
      : samples_(samples), options_(options) {}

  std::vector<int64_t> draw() override {
    std::vector<int64_t> all = options_.shuffle
                                   ? randperm(samples_, Generator(options_.seed + epoch_))
                                   : in_order(samples_);
    const auto total = static_cast<size_t>(size() * options_.num_replicas);
    for (size_t i = 0; all.size() < total; ++i) all.push_back(all[i]);
    std::vector<int64_t> own;
    for (size_t i = static_cast<size_t>(options_.rank); i < total;
         i += static_cast<size_t>(options_.num_replicas)) {
      own.push_back(all[i]);
    }
    return own;
  }
  int64_t size() const override {
    const int64_t replicas = options_.num_replicas;
    return options_.drop_last ? samples_ / replicas : (samples_ + replicas - 1) / replicas;
  }
  void set_epoch(int64_t epoch) { epoch_ = static_cast<uint64_t>(epoch); }

 private:
  const int64_t samples_;
  const DistributedSamplerOptions options_;
  uint64_t epoch_ = 0;
};

DistributedSampler::DistributedSampler(std::shared_ptr<Order> order)
    : Sampler(order), shared_(std::move(order)) {}

DistributedSampler::DistributedSampler(int64_t samples, DistributedSamplerOptions options,
                                       SourceLocation location)
    : DistributedSampler([&] {
        if (samples < 1 || options.rank < 0 || options.rank >= options.num_replicas) {
          raise<InvalidArgument>(
              {.what = str("DistributedSampler of ", samples, " samples for rank ", options.rank,
                           " of ", options.num_replicas),
               .wanted = "samples, and a rank from 0 to num_replicas - 1",
               .location = location});
        }
        return std::make_shared<Order>(samples, options);
      }()) {}

void DistributedSampler::set_epoch(int64_t epoch) const { shared_->set_epoch(epoch); }

}  // namespace data
}  // namespace utils
}  // namespace torch
}  // namespace systolic::inline v0
