// Integers that a layer has no vectors for, where the host knows them before the device clamps
// them: arguments of functions and of strategy.run, and batches in their loops.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/layers/core/embedding.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

constexpr int64_t known = 10;
const Literal right = Literal::of<int32_t>({{1, 9}, {0, 3}}),
              wrong = Literal::of<int32_t>({{1, 40}, {0, 3}}),
              negative = Literal::of<int32_t>({{1, 4}, {-2, 3}});

Layer words() { return Embedding{.input_dim = known, .output_dim = 2, .name = "words"}; }

template <class Call>
void expect_refused(const Call& call, const char* value = "value 40") {
  expect_parts(error_of(call), {"InvalidArgument: words", value, "0 to 9: the layer knows 10"});
}

TEST(WrongIntegers, OfAFunctionsArguments) {
  const Layer layer = words();
  auto look_up = function([&](const Tensor& ids) { return layer(ids); });
  EXPECT_EQ(look_up(Tensor(right)).shape(), Shape({2, 2, 2}));
  expect_refused([&] { look_up(Tensor(wrong)); });
  expect_refused([&] { look_up(Tensor(negative)); }, "value -2");
  EXPECT_EQ(look_up.traces(), 1u);
  EXPECT_EQ(look_up(Tensor(right)).literal(), layer(Tensor(right)).literal());
}

TEST(WrongIntegers, BehindAnotherShapeOrType) {
  const Layer layer = words();
  auto look_up = function(
      [&](const Tensor& ids) { return layer(cast(reshape(transpose(ids), {4}), DType::i16)); });
  EXPECT_NO_THROW(look_up(Tensor(right)));
  expect_refused([&] { look_up(Tensor(wrong)); });
}

// Which the device alone knows.
TEST(WrongIntegers, OfADeviceAreClamped) {
  const Layer layer = words();
  auto look_up = function([&](const Tensor& ids) { return layer(ids + 31); });
  const Literal last = layer(Tensor(Literal::of<int32_t>({9}))).literal();
  EXPECT_EQ(look_up(Tensor(Literal::of<int32_t>({9}))).literal(), last);
}

TEST(WrongIntegers, OfABranchThatIsNotTaken) {
  const Layer layer = words();
  layer(Tensor(right));
  auto look_up = function([&](const Tensor& ids) {
    return cond(
        max(ids) < known, [&] { return layer(ids); },
        [&] { return layer(clip(ids, 0, known - 1)); });
  });
  EXPECT_EQ(look_up(Tensor(wrong)).literal(), layer(Tensor(right)).literal());
}

TEST(WrongIntegers, OfBatchesInCustomLoops) {
  for (const int cores : {1, 2}) {
    TPUClusterResolver resolver("v3-8", {.cores = cores});
    initialize_tpu_system(resolver);
    const TPUStrategy strategy(resolver);
    const Layer layer = strategy.scope(words);
    Variable total = strategy.scope([] { return Variable(Tensor(Literal::scalar(0.f))); });
    const auto batches = [&](const Literal& second) {
      return strategy.distribute_dataset(
          data::from_tensor_slices(concat({Tensor(right), Tensor(second)}, 0).literal()).batch(2));
    };
    DistributedDataset fine = batches(right), broken = batches(wrong);
    DistributedIterator good = iter(fine), bad = iter(broken);
    const auto step = [&](DistributedIterator& iterator) {
      strategy.run(
          [&](const Batch& batch) { total.assign_add(all_reduce_sum(sum(layer(batch[0])))); },
          next(iterator));
    };
    step(good), step(good), step(bad);
    expect_refused([&] { step(bad); });

    DistributedIterator looped = iter(broken);
    auto steps = function([&](const Tensor& count) {
      for_range(count, [&](const Tensor&) { step(looped); });
      return total.value();
    });
    expect_refused([&] { steps(Tensor(Literal::scalar(2))); });
  }
}

}  // namespace
}  // namespace systolic
