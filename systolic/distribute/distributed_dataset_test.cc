// Batches on the cores: their components, and loops over them.
#include "systolic/distribute/distributed_dataset.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/replica_context.h"

namespace systolic {
namespace {

TPUStrategy two_cores() {
  TPUClusterResolver resolver("v3-8", {.cores = 2});
  initialize_tpu_system(resolver);
  return TPUStrategy(resolver);
}

data::Dataset numbers(int64_t count) {
  return data::range(count).map([](const Literal& value) { return value.convert(DType::f32); });
}

TEST(Batch, AComponentThatIsNotThereIsNamed) {
  const Tensor x(Literal::of<float>({1})), y(Literal::of<float>({2}));
  const Batch batch({{"image", x}, {"label", y}});
  EXPECT_EQ(batch[1].item<float>(), 2);
  EXPECT_EQ(batch[size_t{1}].item<float>(), 2);
  EXPECT_EQ(batch["label"].item<float>(), 2);
  for (const int position : {2, -1}) {
    expect_parts(message_of<InvalidArgument>([&] { batch[position]; }),
                 {str("no component ", position), "one of the 2: image, label"});
  }
  expect_parts(message_of<NotFound>([&] { batch["lable"]; }), {"'lable'", "did you mean 'label'"});
}

TEST(DistributedDataset, ALoopSeesEveryBatchOnceAndCanBeRepeated) {
  const TPUStrategy strategy = two_cores();
  const DistributedDataset dataset = strategy.distribute_dataset(numbers(12).batch(4));
  for (int round = 0; round < 2; ++round) {
    std::vector<float> sums;
    for (const Batch& batch : dataset) {
      const PerReplica part = strategy.run([](const Batch& b) { return sum(b[0]); }, batch);
      sums.push_back(strategy.reduce(ReduceOp::sum, part).item<float>());
    }
    EXPECT_EQ(sums, (std::vector<float>{0 + 1 + 2 + 3, 4 + 5 + 6 + 7, 8 + 9 + 10 + 11}));
  }
  int batches = 0;
  for ([[maybe_unused]] const Batch& batch : strategy.distribute_dataset(numbers(0).batch(4)))
    ++batches;
  EXPECT_EQ(batches, 0);
}

TEST(Reduce, TheMeanOfWholeNumbersIsAFloat) {
  const TPUStrategy strategy = two_cores();
  const PerReplica ids = strategy.run([] { return replica_id(); });
  EXPECT_EQ(strategy.reduce(ReduceOp::sum, ids).item<int32_t>(), 1);
  EXPECT_EQ(strategy.reduce(ReduceOp::mean, ids).item<float>(), 0.5f);
}

TEST(DistributedDataset, ALoopInATracedFunctionSaysWhatToWrite) {
  const TPUStrategy strategy = two_cores();
  const DistributedDataset dataset = strategy.distribute_dataset(numbers(12).repeat().batch(4));
  const auto step = function([&] {
    for (const Batch& batch : dataset) strategy.run([](const Batch& b) { sum(b[0]); }, batch);
  });
  expect_parts(message_of<Unimplemented>([&] { step(); }),
               {"a loop over a distributed dataset", "for_range", "distributed_dataset_test.cc"});
}

}  // namespace
}  // namespace systolic
