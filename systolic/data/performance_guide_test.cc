// The pipelines of TensorFlow's guide "Better performance with the tf.data API", line for line:
// each gives the elements that the guide's gives. (Its sleeping is left out: tests do not measure
// time.)
#include <gtest/gtest.h>

#include <atomic>

#include "systolic/base/test_errors.h"
#include "systolic/data/arrays/array_ops.h"
#include "systolic/data/dataset.h"

namespace systolic {
namespace {

using data::autotune;
using data::Dataset;
using Numbers = std::vector<int64_t>;

// class ArtificialDataset: from_generator(cls._generator, TensorSpec(shape=(1,), dtype=tf.int64))
Dataset artificial_dataset(int64_t num_samples = 3) {
  return data::from_generator([num_samples]() -> std::function<std::optional<Example>()> {
    return [num_samples, sample_idx = int64_t{0}]() mutable -> std::optional<Example> {
      if (sample_idx == num_samples) return std::nullopt;
      return Example{{"sample_idx", Literal::of<int64_t>({sample_idx++})}};
    };
  });
}

// def benchmark(dataset, num_epochs=2): what its loops see
Numbers benchmark(const Dataset& dataset, int num_epochs = 2) {
  Numbers seen;
  for (int epoch_num = 0; epoch_num < num_epochs; ++epoch_num) {
    for (const Example& sample : dataset) {
      for (const int64_t number : sample.only().data<int64_t>()) seen.push_back(number);
    }
  }
  return seen;
}

const Numbers two_epochs{0, 1, 2, 0, 1, 2};

TEST(PerformanceGuide, NaiveAndPrefetched) {
  EXPECT_EQ(benchmark(artificial_dataset()), two_epochs);
  EXPECT_EQ(benchmark(artificial_dataset().prefetch(autotune)), two_epochs);
}

TEST(PerformanceGuide, SequentialAndParallelInterleave) {
  const auto make = [](const Example&) { return artificial_dataset(); };
  const Numbers turns{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2};
  EXPECT_EQ(benchmark(data::range(2).interleave(make)), turns);
  EXPECT_EQ(benchmark(data::range(2).interleave(make, {.num_parallel_calls = autotune})), turns);
}

TEST(PerformanceGuide, SequentialAndParallelMapping) {
  const auto mapped_function = [](const Literal& s) { return s; };
  EXPECT_EQ(benchmark(artificial_dataset().map(mapped_function)), two_epochs);
  EXPECT_EQ(benchmark(artificial_dataset().map(mapped_function, {.num_parallel_calls = autotune})),
            two_epochs);
}

TEST(PerformanceGuide, CachingCallsTheFunctionOnceAnElement) {
  std::atomic<int> calls{0};
  const auto mapped_function = [&](const Literal& s) { return ++calls, s; };
  EXPECT_EQ(benchmark(artificial_dataset().map(mapped_function).cache(), 5).size(), 15u);
  EXPECT_EQ(calls, 3);
}

TEST(PerformanceGuide, ScalarAndVectorizedMapping) {
  const auto increment = [](const Literal& x) { return x + 1; };
  const Dataset fast_dataset = data::range(10'000);
  // Apply the function one item at a time, batch at the end; and the other way round.
  const Numbers scalar = benchmark(fast_dataset.map(increment).batch(256));
  EXPECT_EQ(scalar.size(), 20'000u);
  EXPECT_EQ(scalar[9999], 10'000);
  EXPECT_EQ(benchmark(fast_dataset.batch(256).map(increment)), scalar);
}

// "Representing multiple dimensions" of the appendix: the three transformations one after the
// other; and the best practices together.
TEST(PerformanceGuide, NaiveAndOptimizedPipelines) {
  const auto dataset_generator_fun = [](const Example&) { return artificial_dataset(10); };
  const auto map_fun = [](const Literal& x) { return x + 100; };
  const auto memory_consuming = [](const Literal& x) { return x - 100; };
  const Numbers naive = benchmark(data::range(2)
                                      .flat_map(dataset_generator_fun)
                                      .map(map_fun)
                                      .batch(5, {.drop_remainder = true})
                                      .map(memory_consuming));
  const Numbers optimized =
      benchmark(data::range(2)
                    .interleave(dataset_generator_fun, {.num_parallel_calls = autotune})
                    .batch(5, {.drop_remainder = true})
                    .map(map_fun, {.num_parallel_calls = autotune})
                    .cache()
                    .map(memory_consuming, {.num_parallel_calls = autotune})
                    .prefetch(autotune));
  ASSERT_EQ(naive.size(), 40u);
  ASSERT_EQ(optimized.size(), 40u);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(naive[i], static_cast<int64_t>(i % 10));
    EXPECT_EQ(optimized[i], static_cast<int64_t>(i / 2));  // in turns
  }
}

}  // namespace
}  // namespace systolic
