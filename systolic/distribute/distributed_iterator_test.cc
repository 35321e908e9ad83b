// An iterator for the cores, saved and taken up at every batch.
#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

TPUStrategy strategy_of(int cores) {
  TPUClusterResolver resolver("v3-8", {.cores = cores});
  initialize_tpu_system(resolver);
  return TPUStrategy(resolver);
}

data::Dataset shuffled(int64_t batch) {
  return data::range(60)
      .shuffle(20, {.seed = 3})
      .map([](int64_t n) { return static_cast<float>(n); }, {.num_parallel_calls = 2})
      .batch(batch, {.drop_remainder = true})
      .prefetch(2);
}

// The sums of the batches that are left.
std::vector<float> rest_of(const Strategy& strategy, DistributedIterator& iterator) {
  std::vector<float> sums;
  while (iterator.has_next()) {
    const PerReplica sum_of_core =
        strategy.run([](const Batch& batch) { return sum(batch[0]); }, next(iterator));
    sums.push_back(strategy.reduce(ReduceOp::sum, sum_of_core).item<float>());
  }
  return sums;
}

DistributedDataset distributed(const Strategy& strategy, bool per_core) {
  if (!per_core) return strategy.distribute_dataset(shuffled(4));
  return strategy.distribute_datasets_from_function(
      [](const InputContext&) { return shuffled(2); });
}

TEST(DistributedIterator, ReadsOnWhereItWasSaved) {
  const TPUStrategy strategy = strategy_of(2);
  for (const bool per_core : {false, true}) {
    const DistributedDataset dataset = distributed(strategy, per_core);
    DistributedIterator whole = iter(dataset);
    const std::vector<float> all = rest_of(strategy, whole);
    ASSERT_EQ(all.size(), 15u);
    for (size_t taken = 0; taken <= all.size(); ++taken) {
      // Another program makes the dataset anew.
      DistributedIterator iterator = iter(distributed(strategy, per_core));
      for (size_t i = 0; i < taken; ++i) next(iterator);
      if (taken % 2 == 1) iterator.has_next();  // one more is looked at, and not taken
      const std::string state = iterator.save();
      const std::vector<float> wanted(all.begin() + static_cast<std::ptrdiff_t>(taken), all.end());
      EXPECT_EQ(rest_of(strategy, iterator), wanted);
      DistributedIterator taken_up = iter(distributed(strategy, per_core), state);
      EXPECT_EQ(rest_of(strategy, taken_up), wanted);
      taken_up.restore(state);
      EXPECT_EQ(rest_of(strategy, taken_up), wanted);
    }
  }
}

TEST(DistributedIterator, StatesOfOthersAreRefusedAndChangeNothing) {
  const TPUStrategy strategy = strategy_of(2);
  DistributedIterator iterator = iter(distributed(strategy, false));
  next(iterator);
  std::string state = iterator.save();
  const std::string of_cores = iter(distributed(strategy, true)).save();
  EXPECT_CONTAINS(error_of([&] { iterator.restore(of_cores); }), "elements in a batch");
  EXPECT_CONTAINS(error_of([&] { iterator.restore(""); }), "DataLoss");
  state[state.size() / 2] = static_cast<char>(state[state.size() / 2] ^ 1);
  EXPECT_CONTAINS(error_of([&] { iterator.restore(state); }), "DataLoss");
  EXPECT_EQ(rest_of(strategy, iterator).size(), 14u);
}

TEST(DistributedIterator, ReportsWhatTheStagesDid) {
  const TPUStrategy strategy = strategy_of(2);
  DistributedIterator iterator = iter(distributed(strategy, false));
  EXPECT_EQ(rest_of(strategy, iterator).size(), 15u);
  const data::PipelineReport report = iterator.report();
  EXPECT_EQ(report.front().elements, 60);
  EXPECT_EQ(report.stages.back().elements, 15);
}

TEST(DistributedIterator, WorkersReadEachTheirPart) {
  const TPUStrategy strategy = strategy_of(2);
  const data::Dataset pairs =
      data::range(12).map([](int64_t n) { return static_cast<float>(n); }).batch(2);
  float total = 0;
  for (int64_t worker = 0; worker < 3; ++worker) {
    DistributedIterator iterator =
        iter(strategy.distribute_dataset(pairs, {.count = 3, .index = worker}));
    const std::vector<float> sums = rest_of(strategy, iterator);
    EXPECT_EQ(sums.size(), 2u);
    for (const float sum : sums) total += sum;
  }
  EXPECT_EQ(total, 66);
  strategy.distribute_datasets_from_function(
      [&](const InputContext& context) {
        EXPECT_EQ(context.num_input_pipelines, 3);
        EXPECT_EQ(context.input_pipeline_id, 1);
        EXPECT_EQ(context.num_replicas_in_sync, 6);
        return pairs;
      },
      {.count = 3, .index = 1});
}

}  // namespace
}  // namespace systolic
