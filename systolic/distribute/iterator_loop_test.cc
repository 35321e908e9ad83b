// for_range over batches inside `function`, among other statements.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

TPUStrategy strategy_of(int cores) {
  TPUClusterResolver resolver("v3-8", {.cores = cores});
  initialize_tpu_system(resolver);
  return TPUStrategy(resolver);
}

// 0, 1, 2, ... in batches of 4.
DistributedDataset fours(const Strategy& strategy) {
  return strategy.distribute_dataset(
      data::range(400)
          .map([](const Literal& value) { return value.convert(DType::f32); })
          .batch(4));
}

TEST(IteratorLoop, StandsBetweenOtherStatements) {
  const TPUStrategy strategy = strategy_of(1);
  DistributedDataset dataset = fours(strategy);
  DistributedIterator iterator = iter(dataset);
  Variable total(constant(0.f)), rounds(constant(0));
  auto steps = function([&](const Tensor& x, const Tensor& count) {
    total.assign(0 * x);
    const Tensor scale = x * 2;
    for_range(count, [&](const Tensor& i) {
      total.assign_add(sum(next(iterator)[0]) * scale + x);
      rounds.assign(i);
    });
    const Tensor result = total.value() + scale;
    total.assign_add(100);
    return result;
  });
  // 6, 22, 38, ... are the sums of the batches.
  EXPECT_EQ(steps(constant(1.f), constant(2)).item<float>(), 2 * (6 + 22) + 2 * 1 + 2);
  EXPECT_EQ(total.item<float>(), 2 * (6 + 22) + 2 * 1 + 100);
  EXPECT_EQ(rounds.item<int32_t>(), 1);
  EXPECT_EQ(steps(constant(3.f), constant(1)).item<float>(), 6 * 38 + 3 + 6);
  EXPECT_EQ(steps(constant(3.f), constant(0)).item<float>(), 6);
  EXPECT_EQ(steps.traces(), 1u);
}

TEST(IteratorLoop, MayStandTwice) {
  const TPUStrategy strategy = strategy_of(1);
  DistributedDataset dataset = fours(strategy);
  DistributedIterator iterator = iter(dataset);
  Variable first(constant(0.f)), second(constant(0.f));
  auto steps = function([&] {
    for_range(2, [&](const Tensor&) { first.assign_add(sum(next(iterator)[0])); });
    const Tensor half = first.value() / 2;
    for_range(1, [&](const Tensor&) { second.assign(sum(next(iterator)[0]) + half); });
    return second.value() - half;
  });
  EXPECT_EQ(steps().item<float>(), 38);
  EXPECT_EQ(first.item<float>(), 28);
  EXPECT_EQ(second.item<float>(), 38 + 14);
}

TEST(IteratorLoop, TakesBatchesOutsideTheLoopToo) {
  const TPUStrategy strategy = strategy_of(1);
  DistributedDataset dataset = fours(strategy);
  DistributedIterator iterator = iter(dataset);
  Variable total(constant(0.f));
  auto steps = function([&] {
    const Tensor first = sum(next(iterator)[0]);
    for_range(2, [&](const Tensor&) { total.assign_add(sum(next(iterator)[0]) * first); });
    return sum(next(iterator)[0]);
  });
  EXPECT_EQ(steps().item<float>(), 54);
  EXPECT_EQ(total.item<float>(), 6 * (22 + 38));
}

TEST(IteratorLoop, TheDeviceMayComputeTheCount) {
  const TPUStrategy strategy = strategy_of(1);
  DistributedDataset dataset = fours(strategy);
  DistributedIterator iterator = iter(dataset);
  Variable total(constant(0.f));
  auto steps = function([&](const Tensor& n) {
    for_range(n * 2 - 1, [&](const Tensor&) { total.assign_add(sum(next(iterator)[0])); });
  });
  steps(constant(2));
  EXPECT_EQ(total.item<float>(), 6 + 22 + 38);
}

TEST(IteratorLoop, ValuesOfTheCoresStayApart) {
  const TPUStrategy strategy = strategy_of(2);
  DistributedDataset dataset = fours(strategy);
  DistributedIterator iterator = iter(dataset);
  Variable total(constant(0.f));
  auto steps = function([&](const Tensor& scale) {
    const Tensor doubled = scale * 2;
    for_range(2, [&](const Tensor&) {
      strategy.run(
          [&](const Batch& batch) { total.assign_add(all_reduce_sum(sum(batch[0]) * doubled)); },
          next(iterator));
    });
    return total.value() * scale;
  });
  EXPECT_EQ(steps(constant(3.f)).item<float>(), 3 * 6 * 28);
}

TEST(IteratorLoop, SaysWhatItCannotDo) {
  const TPUStrategy strategy = strategy_of(1);
  DistributedDataset dataset = fours(strategy);
  DistributedIterator iterator = iter(dataset);
  Variable total(constant(0.f), {.name = "total"});

  auto leaks = function([&] {
    Tensor last;
    for_range(2, [&](const Tensor&) { last = sum(next(iterator)[0]); });
    return last + 1;
  });
  EXPECT_NE(message_of<InvalidArgument>(leaks).find("body of a for_range that has ended"),
            std::string::npos);

  auto taped = function([&](const Tensor& x) {
    GradientTape tape;
    for_range(2, [&](const Tensor&) { total.assign_add(sum(next(iterator)[0]) * x); });
    return tape.gradient(total.value(), x);
  });
  EXPECT_NE(message_of<Unimplemented>([&] { taped(constant(1.f)); }).find("under a GradientTape"),
            std::string::npos);

  auto nested = function([&] {
    for_range(2, [&](const Tensor&) {
      for_range(2, [&](const Tensor&) { total.assign_add(sum(next(iterator)[0])); });
    });
  });
  EXPECT_NE(message_of<Unimplemented>(nested).find("inside a branch or a loop"), std::string::npos);

  auto chosen = function([&](const Tensor& x) {
    return cond(
        x > 0, [&] { return sum(next(iterator)[0]); }, [&] { return x; });
  });
  EXPECT_NE(message_of<Unimplemented>([&] { chosen(constant(1.f)); }).find("inside a branch"),
            std::string::npos);

  // And the iterator has lost nothing that a run did not take.
  auto after = function([&] { return sum(next(iterator)[0]); });
  EXPECT_EQ(after().item<float>(), 6);
}

}  // namespace
}  // namespace systolic
