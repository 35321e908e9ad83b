#include "systolic/distribute/strategy.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/contraction.h"
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

data::Dataset numbers(int64_t count) {
  return data::range(count).map([](const Literal& value) { return value.convert(DType::f32); });
}

TEST(ClusterResolver, TakesEverySpelling) {
  EXPECT_EQ(TPUClusterResolver().master(), "local");
  EXPECT_EQ(TPUClusterResolver("local").kind(), "v3-8");
  EXPECT_EQ(TPUClusterResolver("v5litepod-8").kind(), TPUClusterResolver("v5e:2x4").kind());
  EXPECT_TRUE(TPUClusterResolver("grpc://10.0.0.1:8470").is_remote());
  EXPECT_EQ(TPUClusterResolver("grpc://10.0.0.1:8470").master(), "grpc://10.0.0.1:8470");
  EXPECT_THROW(TPUClusterResolver("grpc://"), InvalidArgument);
  EXPECT_THROW(TPUClusterResolver("grpc://10.0.0.1:8470", {.cores = -1}), InvalidArgument);
  EXPECT_THROW(TPUClusterResolver("v3-9"), InvalidArgument);
  EXPECT_THROW(TPUClusterResolver("v3-8", {.cores = 9}), InvalidArgument);
}

TEST(ClusterResolver, ConnectInitializesTheSystem) {
  EXPECT_EQ(TPUClusterResolver::connect("v5e-4").kind(), "v5e-4");
  EXPECT_EQ(list_logical_devices("TPU").size(), 4u);
}

TEST(TpuSystem, ListsItsCores) {
  strategy_of(8);
  const auto devices = list_logical_devices("TPU");
  ASSERT_EQ(devices.size(), 8u);
  EXPECT_EQ(to_string(devices[3]),
            "LogicalDevice(name='/job:worker/replica:0/task:0/device:TPU:3', device_type='TPU')");
}

TEST(TpuSystem, InitializingAgainFreesWhatLivedThere) {
  strategy_of(8);
  Variable v(constant(1.f), {.name = "v"});
  v.assign_add(1);
  EXPECT_EQ(v.item<float>(), 2);
  initialize_tpu_system(TPUClusterResolver("v3-8"));
  EXPECT_THROW(v.item<float>(), FailedPrecondition);
}

TEST(Run, GivesEachCoreItsShare) {
  const TPUStrategy strategy = strategy_of(4);
  DistributedDataset dataset = strategy.distribute_dataset(numbers(8).batch(8));
  DistributedIterator iterator = iter(dataset);
  const Batch batch = next(iterator);
  const PerReplica sums = strategy.run([](const Batch& b) { return sum(b[0]); }, batch);
  EXPECT_EQ(sums.values()[0].item<float>(), 0 + 1);
  EXPECT_EQ(sums.values()[3].item<float>(), 6 + 7);
  EXPECT_EQ(strategy.reduce(ReduceOp::sum, sums).item<float>(), 28);
  EXPECT_EQ(strategy.reduce(ReduceOp::mean, sums).item<float>(), 7);
  EXPECT_FALSE(iterator.has_next());
  EXPECT_THROW(next(iterator), OutOfRange);
}

TEST(Run, ReducesOverTheCores) {
  const TPUStrategy strategy = strategy_of(4);
  struct Case {
    const char* name;
    Tensor (*reduce)(const Tensor& x, SourceLocation location);
    float wanted;
  };
  for (const Case& c : {Case{"sum", all_reduce_sum, -4}, Case{"mean", all_reduce_mean, -1},
                        Case{"max", all_reduce_max, 2}}) {
    const auto step = [&](const Tensor& x) {  // -4 -2 0 2
      return c.reduce(x + 2 * cast(replica_id(), DType::f32), SourceLocation::current());
    };
    const PerReplica results = strategy.run(step, constant(-4.f));
    ASSERT_EQ(results.replicas(), 4) << c.name;
    for (const Tensor& result : results.values()) {
      EXPECT_EQ(result.item<float>(), c.wanted) << c.name;
    }
  }
}

TEST(Run, PrintsPerReplica) {
  const TPUStrategy strategy = strategy_of(2);
  std::ostringstream out;
  out << strategy.run([](const Tensor& x) { return x + cast(replica_id(), DType::f32); },
                      constant(1.f));
  EXPECT_EQ(out.str(),
            "PerReplica:{\n  0: Tensor(1.0, shape=(), dtype=float32),\n  1: Tensor(2.0, shape=(), "
            "dtype=float32)\n}");
}

// One step of gradient descent on the mean of (w x)^2 over the global batch.
float weight_after_a_step(int cores) {
  const TPUStrategy strategy = strategy_of(cores);
  Variable w(constant(2.f), {.name = "w"});
  DistributedDataset dataset = strategy.distribute_dataset(numbers(8).batch(8));
  DistributedIterator iterator = iter(dataset);
  auto step = function([&](const Batch& batch) {
    GradientTape tape;
    const Tensor loss = sum(square(w * batch[0])) / 8;
    const Tensor gradient = all_reduce_sum(tape.gradient(loss, w));
    w.assign_sub(0.01 * gradient);
    return loss;
  });
  const PerReplica losses = strategy.run(step, next(iterator));
  EXPECT_FLOAT_EQ(strategy.reduce(ReduceOp::sum, losses).item<float>(), 4 * 140 / 8.f);
  return w.item<float>();
}

TEST(Run, GradientsOfAllCoresAddUp) {
  const float wanted = 2 - 0.01f * 2 * 2 * 140 / 8;
  EXPECT_FLOAT_EQ(weight_after_a_step(1), wanted);
  EXPECT_FLOAT_EQ(weight_after_a_step(8), wanted);
}

TEST(Run, CoresThatDivergeAtACollectiveAreAnError) {
  const TPUStrategy strategy = strategy_of(2);
  auto step = [](const Tensor& x) {
    return cond(
        replica_id() == 0, [&] { return all_reduce_sum(x); }, [&] { return x; });
  };
  expect_parts(message_of<InvalidArgument>([&] { strategy.run(step, constant(1.f)); }),
               {"all_reduce", "strategy_test.cc"});
}

TEST(Batches, ThatDoNotDivideNameTheNumbers) {
  const TPUStrategy strategy = strategy_of(8);
  for (int64_t size : {9, 5}) {
    DistributedIterator iterator = iter(strategy.distribute_dataset(numbers(9).batch(size)));
    expect_parts(message_of<InvalidArgument>([&] { next(iterator); }),
                 {"'value'", str("(", size, ",)"), "cannot be divided over 8 cores",
                  "a multiple of the number of cores", "drop_remainder", "strategy_test.cc:"});
    // A loop asks whether there is another one first.
    const DistributedDataset dataset = strategy.distribute_dataset(numbers(9).batch(size));
    expect_parts(message_of<InvalidArgument>([&] {
                   for (const Batch& batch : dataset) ADD_FAILURE() << batch.size();
                 }),
                 {"cannot be divided over 8 cores", "strategy_test.cc:"});
  }
}

TEST(Batches, OfDifferentSizesOnTheCoresNameBoth) {
  const TPUStrategy strategy = strategy_of(2);
  DistributedIterator iterator = iter(strategy.distribute_datasets_from_function(
      [](const InputContext&) { return numbers(5).batch(3); }));
  expect_parts(message_of<InvalidArgument>([&] { next(iterator); }),
               {"component 'value': the batch of core 1 is", "(2,)", "(3,) as the batch of core 0",
                "drop_remainder"});
}

TEST(Batches, TheDeprecatedNameWarnsAndGivesTheSame) {
  const TPUStrategy strategy = strategy_of(2);
  CaughtLog log;
  DistributedIterator iterator =
      iter(strategy.experimental_distribute_datasets_from_function([](const InputContext& context) {
        return numbers(8).batch(context.get_per_replica_batch_size(4));
      }));
  EXPECT_EQ(next(iterator)[0].shape(), Shape{2});
  expect_parts(log.lines(), {"deprecated", "rename it to distribute_datasets_from_function"});
}

TEST(Batches, OfIntegersThatDoNotFitTheDeviceNameTheValue) {
  const TPUStrategy strategy = strategy_of(2);
  const Literal ids = Literal::of<int64_t>({7, int64_t{1} << 31, 9, 10});
  DistributedIterator iterator =
      iter(strategy.distribute_dataset(data::from_tensor_slices({{"id", ids}}).batch(4)));
  expect_parts(message_of<InvalidArgument>([&] { next(iterator); }),
               {"'id': element 1 is 2147483648", "int32", "-2147483648 to 2147483647"});
}

TEST(Batches, BehindTheLastOneSayWhatToDo) {
  const TPUStrategy strategy = strategy_of(2);
  DistributedIterator iterator = iter(strategy.distribute_dataset(numbers(4).batch(4)));
  next(iterator);
  for (int again = 0; again < 2; ++again) {
    expect_parts(message_of<OutOfRange>([&] { next(iterator); }),
                 {"after the last batch", "repeat()", "strategy_test.cc"});
  }
}

TEST(Batches, WhatAMapFunctionThrowsComesToTheReader) {
  const TPUStrategy strategy = strategy_of(2);
  const auto failing = data::range(8).map([](const Literal& value) {
    if (value.item<int64_t>() == 5) throw std::runtime_error("no such picture");
    return value;
  });
  DistributedIterator iterator = iter(strategy.distribute_dataset(failing.batch(4)));
  next(iterator);
  expect_parts(message_of<FunctionFailed>([&] { next(iterator); }),
               {"map at", "element 5", "no such picture"});
}

TEST(Mirrored, RunsOnAsManyDevicesAsAsked) {
  initialize_tpu_system(TPUClusterResolver("v3-8"));
  for (const int devices : {1, 2, 3, 8}) {
    const MirroredStrategy strategy(devices);
    EXPECT_EQ(strategy.num_replicas_in_sync(), devices);
    const PerReplica ids = strategy.run([] { return replica_id() + 1; });
    EXPECT_EQ(strategy.reduce(ReduceOp::sum, ids).item<int32_t>(), devices * (devices + 1) / 2);
  }
  EXPECT_EQ(MirroredStrategy().num_replicas_in_sync(), 8);
  expect_parts(message_of<InvalidArgument>([&] { MirroredStrategy(9); }),
               {"MirroredStrategy over 9 devices", "1 to 8", "strategy_test.cc"});
  expect_parts(message_of<InvalidArgument>([&] { MirroredStrategy(-1); }), {"1 to 8"});
}

// Other cores are another system, which frees what lived on the one before: whether that was
// initialized or opened at the first use.
TEST(Mirrored, FreesWhatLivedOnTheSystemBefore) {
  for (const bool initialized : {true, false}) {
    if (initialized) {
      initialize_tpu_system(TPUClusterResolver("v3-8"));
    } else {
      set_default_client(nullptr);
    }
    Variable used(constant({1.f, 2.f}), {.name = "used"}),
        unused(constant(3.f), {.name = "unused"});
    const Tensor read = used * 2, pending = used * 3, host = constant(4.f);
    const Literal kept = read.literal();
    const auto before = default_client()->from_host(Literal::scalar(1.f));
    auto twice = function([&] { return used * 2; }, {.name = "twice"});
    twice();

    const MirroredStrategy strategy(3);
    EXPECT_TRUE(before->deleted());
    EXPECT_EQ(kept, Literal::of<float>({2, 4}));
    expect_parts(message_of<FailedPrecondition>([&] { used.literal(); }),
                 {"variable 'used' lived on a TPU system that has been initialized again"});
    expect_parts(message_of<FailedPrecondition>([&] { twice(); }), {"variable 'used'"});
    for (const Tensor& tensor : {read, pending}) {
      expect_parts(message_of<FailedPrecondition>([&] { (tensor + 1).literal(); }),
                   {"TPU system was initialized again", "strategy_test.cc"});
    }
    // What had no memory there, and what is given some again, is as good as new.
    EXPECT_EQ((unused + host).item<float>(), 7);
    used.set(Literal::of<float>({5, 6}));
    EXPECT_EQ(twice().literal(), Literal::of<float>({10, 12}));
    const PerReplica each = strategy.run([&] { return used + cast(replica_id(), DType::f32); });
    EXPECT_EQ(each.values().size(), 3u);
    EXPECT_EQ(each.values()[2].literal(), Literal::of<float>({7, 8}));
  }
}

TEST(Scope, IsThatOfTheThreadThatOpenedIt) {
  const TPUStrategy strategy = strategy_of(2);
  strategy.scope([&] {
    EXPECT_EQ(get_strategy().num_replicas_in_sync(), 2);
    int64_t elsewhere = 0;
    std::thread([&] { elsewhere = get_strategy().num_replicas_in_sync(); }).join();
    EXPECT_EQ(elsewhere, 1);
  });
}

TEST(Scope, OfAnotherThreadIsWarnedOfOnce) {
  const auto warnings = [](const std::function<void()>& make) {
    const CaughtLog log;
    std::thread(make).join();
    return log.lines();
  };
  const auto make = [] { warn_of_a_scope_elsewhere("a thing"); };
  EXPECT_EQ(warnings(make), "") << "no scope is open";
  strategy_of(2).scope([&] {
    make();  // in the scope
    EXPECT_EQ(warnings([&] { Strategy().scope(make); }), "") << "one core is meant";
    const std::string said = warnings(make);
    EXPECT_NE(said.find("a thing is made on a thread without a strategy"), std::string::npos)
        << said;
    EXPECT_NE(said.find("Call strategy.scope on this thread"), std::string::npos) << said;
    EXPECT_EQ(warnings(make), "");
  });
  EXPECT_EQ(warnings([] { warn_of_a_scope_elsewhere("another thing"); }), "") << "it has closed";
}

TEST(Functions, TakeSeveralBatchesInALoop) {
  const TPUStrategy strategy = strategy_of(2);
  Variable total(constant(0.f), {.name = "total"});
  DistributedDataset dataset = strategy.distribute_dataset(numbers(20).batch(4));
  DistributedIterator iterator = iter(dataset);
  auto step = [&](const Batch& batch) { total.assign_add(all_reduce_sum(sum(batch[0]))); };
  auto steps = function([&](const Tensor& count) {
    for_range(count, [&](const Tensor&) { strategy.run(step, next(iterator)); });
  });
  steps(convert_to_tensor(2));
  EXPECT_EQ(total.item<float>(), 28);  // 0 + ... + 7
  steps(convert_to_tensor(3));
  EXPECT_EQ(total.item<float>(), 190);
  EXPECT_EQ(steps.traces(), 1u);
}

}  // namespace
}  // namespace systolic
