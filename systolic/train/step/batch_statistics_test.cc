// BatchNormalization on eight cores: over the global batch, and with each core's own statistics.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

constexpr int64_t cores = 8, rows = 32, channels = 3, share = rows / cores;
constexpr double momentum = 0.75, epsilon = 0.01;

TPUStrategy strategy_of(int count) {
  TPUClusterResolver resolver("v3-8", {.cores = count});
  initialize_tpu_system(resolver);
  return TPUStrategy(resolver);
}

struct Moments2 {
  double mean = 0, variance = 0;
};

// Those of one channel in rows [begin, end).
Moments2 moments_of(const Literal& x, int64_t which, int64_t begin, int64_t end) {
  const double count = static_cast<double>(end - begin);
  Moments2 result;
  for (int64_t i = begin; i < end; ++i) result.mean += x.number_at(i * channels + which) / count;
  for (int64_t i = begin; i < end; ++i) {
    const double off = x.number_at(i * channels + which) - result.mean;
    result.variance += off * off / count;
  }
  return result;
}

// Rows that differ from core to core.
Literal drifting_rows() {
  Literal x = host_normal({rows, channels}, 0, 1, 21);
  auto values = x.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] += 0.1f * static_cast<float>(i / channels);
  return x;
}

// What eight cores gave, by row, and the moving averages after.
struct Result {
  Literal y, mean, variance;
};

Result run_on_cores(const Literal& x, bool synchronized) {
  const TPUStrategy strategy = strategy_of(cores);
  const Network network(std::vector<Layer>{Input{.shape = {channels}},
                                           BatchNormalization{.momentum = momentum,
                                                              .epsilon = epsilon,
                                                              .synchronized = synchronized}},
                        {});
  DistributedDataset dataset = strategy.distribute_dataset(data::from_tensor_slices(x).batch(rows));
  DistributedIterator iterator = iter(dataset);
  auto step = function([&](const Batch& batch) { return network(batch[0], {.training = true}); });
  const PerReplica outputs = strategy.run(step, next(iterator));
  Result result{Literal(DType::f32, {rows, channels}), network.weights().at(2).literal(),
                network.weights().at(3).literal()};
  std::byte* to = result.y.mutable_raw();
  for (const Tensor& part : outputs.values()) {
    const Literal values = part.literal();
    to = std::copy(values.raw(), values.raw() + values.byte_size(), to);
  }
  return result;
}

TEST(BatchStatistics, SynchronizedTheyAreThoseOfTheGlobalBatch) {
  const Literal x = drifting_rows();
  const Result found = run_on_cores(x, true);
  for (int64_t k = 0; k < channels; ++k) {
    const Moments2 wanted = moments_of(x, k, 0, rows);
    EXPECT_NEAR(found.mean.number_at(k), (1 - momentum) * wanted.mean, 1e-5);
    EXPECT_NEAR(found.variance.number_at(k), momentum + (1 - momentum) * wanted.variance, 1e-5);
    for (int64_t i = k; i < x.size(); i += channels) {
      EXPECT_NEAR(found.y.number_at(i),
                  (x.number_at(i) - wanted.mean) / std::sqrt(wanted.variance + epsilon), 1e-5);
    }
  }
}

TEST(BatchStatistics, OtherwiseEachCoreHasItsOwnAndTheAveragesAreTheirMean) {
  const Literal x = drifting_rows();
  const Result found = run_on_cores(x, false);
  for (int64_t k = 0; k < channels; ++k) {
    double mean = 0, variance = 0;
    for (int64_t core = 0; core < cores; ++core) {
      const Moments2 own = moments_of(x, k, core * share, (core + 1) * share);
      mean += own.mean / cores;
      variance += own.variance / cores;
      for (int64_t row = core * share; row < (core + 1) * share; ++row) {
        const int64_t i = row * channels + k;
        EXPECT_NEAR(found.y.number_at(i),
                    (x.number_at(i) - own.mean) / std::sqrt(own.variance + epsilon), 1e-5);
      }
    }
    EXPECT_NEAR(found.mean.number_at(k), (1 - momentum) * mean, 1e-5);
    EXPECT_NEAR(found.variance.number_at(k), momentum + (1 - momentum) * variance, 1e-5);
  }
}

std::vector<float> losses_of(int count) {
  const TPUStrategy strategy = strategy_of(count);
  Model model = strategy.scope([] {
    set_seed(5);
    Model made = Sequential({Input{.shape = {channels}}, Dense{.units = 8, .activation = "relu"},
                             BatchNormalization{}, Dropout{.rate = 0.25}, Dense{.units = 1}});
    made.compile({.optimizer = SGD{.learning_rate = 0.05}, .loss = "mse"});
    return made;
  });
  const Literal x = drifting_rows(), y = host_normal({rows, 1}, 0, 1, 22);
  // 32 rows in batches of 12: the last one is padded.
  return model.fit(x, y, {.epochs = 3, .batch_size = 12, .shuffle = false, .verbose = 0})
      .step_losses;
}

TEST(BatchStatistics, FitGivesTheSameLossesOnOneCoreAndOnEight) {
  const std::vector<float> one = losses_of(1), eight = losses_of(cores);
  ASSERT_EQ(one.size(), 9u);
  ASSERT_EQ(eight.size(), 9u);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], eight[i], 1e-4) << "step " << i;
}

}  // namespace
}  // namespace systolic
