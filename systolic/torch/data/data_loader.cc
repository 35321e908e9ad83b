#include "systolic/torch/data/data_loader.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/threads/background_queue.h"
#include "systolic/core/put_together.h"

namespace systolic::inline v0 {
namespace torch {
namespace utils {
namespace data {
namespace {

// torch.utils.data.default_collate.
Example stacked_samples(const std::vector<Example>& samples) {
  Example batch;
  for (size_t i = 0; i < samples.front().size(); ++i) {
    std::vector<Literal> rows;
    for (const Example& sample : samples) rows.push_back(sample.value(i));
    batch.set(samples.front().name(i),
              stacked(rows, {.what = str("'", samples.front().name(i), "'"),
                             .unit = "sample",
                             .hint = "pad them in a collate_fn"}));
  }
  return batch;
}

class Epoch {
 public:
  Epoch(DataLoader loader, std::vector<int64_t> order)
      : loader_(std::move(loader)), order_(std::move(order)) {}

  std::optional<Batch> next() {
    const auto size = static_cast<size_t>(loader_.options().batch_size);
    const size_t count = std::min(size, order_.size() - at_);
    if (count == 0 || (count < size && loader_.options().drop_last)) return std::nullopt;
    const auto begin = order_.begin() + static_cast<int64_t>(at_);
    at_ += count;
    return loader_.collate({begin, begin + static_cast<int64_t>(count)});
  }

 private:
  const DataLoader loader_;
  const std::vector<int64_t> order_;
  size_t at_ = 0;
};

Sampler sampler_of(const Dataset& dataset, const DataLoaderOptions& options) {
  if (options.sampler) return *options.sampler;
  if (options.shuffle) return RandomSampler(dataset.size(), {.generator = options.generator});
  return SequentialSampler(dataset.size());
}

}  // namespace

DataLoader::DataLoader(Dataset dataset, DataLoaderOptions options, SourceLocation location)
    : dataset_(std::move(dataset)),
      options_(std::move(options)),
      sampler_(sampler_of(dataset_, options_)) {
  if (options_.batch_size < 1 || options_.num_workers < 0 || options_.prefetch_factor < 1) {
    raise<InvalidArgument>(
        {.what = str("DataLoader with batch_size ", options_.batch_size, ", num_workers ",
                     options_.num_workers, ", prefetch_factor ", options_.prefetch_factor),
         .wanted = "1, 0 and 1 or more",
         .location = location});
  }
  if (options_.sampler && options_.shuffle) {
    raise<InvalidArgument>({.what = "DataLoader with a sampler and shuffle",
                            .wanted = "one of them: the sampler chooses the order",
                            .location = location});
  }
}

int64_t DataLoader::size() const {
  const int64_t samples = sampler_.size(), size = options_.batch_size;
  return options_.drop_last ? samples / size : (samples + size - 1) / size;
}

std::vector<int64_t> DataLoader::draw_order() const {
  // torch draws a seed for workers first, whether there are any or not.
  Generator seeds = options_.generator.value_or(default_generator());
  seeds.random_seed();
  return sampler_.draw();
}

Batch DataLoader::collate(const std::vector<int64_t>& samples) const {
  std::vector<Example> parts;
  for (int64_t sample : samples) parts.push_back(dataset_.get(sample));
  return Batch(options_.collate_fn ? options_.collate_fn(parts) : stacked_samples(parts));
}

NextBatch DataLoader::iterate() const {
  const auto epoch = std::make_shared<Epoch>(*this, draw_order());
  if (options_.num_workers == 0) return [epoch] { return epoch->next(); };
  const auto ahead =
      static_cast<size_t>(options_.num_workers) * static_cast<size_t>(options_.prefetch_factor);
  const auto queue =
      std::make_shared<BackgroundQueue<Batch>>([epoch] { return epoch->next(); }, ahead);
  return [queue] { return queue->next(); };
}

}  // namespace data
}  // namespace utils
}  // namespace torch
}  // namespace systolic::inline v0
