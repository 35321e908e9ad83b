// What one of several processes says and does: its cores are some of those of the system.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/multi_worker_mirrored_strategy.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/runtime/open_client.h"
#include "systolic/runtime/test_process_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/tensor_state.h"

namespace systolic {
namespace {

// The second of two processes of a v3-8, with 4 cores each.
class SecondOfTwo : public testing::Test {
 protected:
  SecondOfTwo() {
    set_default_client(
        std::make_shared<runtime::ProcessClient>(runtime::open_client({.tpu = "v3-8", .cores = 4}),
                                                 runtime::Processes{.count = 2, .index = 1}));
  }
  ~SecondOfTwo() override { set_default_client(nullptr); }

  const TPUClusterResolver resolver_{"v3-8"};
};

TEST_F(SecondOfTwo, ListsTheDevicesOfAll) {
  const auto cores = list_logical_devices("TPU");
  ASSERT_EQ(cores.size(), 8u);
  EXPECT_EQ(cores[3].name, "/job:worker/replica:0/task:0/device:TPU:3");
  EXPECT_EQ(cores[4].name, "/job:worker/replica:0/task:1/device:TPU:0");
  const auto hosts = list_logical_devices("CPU");
  ASSERT_EQ(hosts.size(), 2u);
  EXPECT_EQ(to_string(hosts[1]),
            "LogicalDevice(name='/job:worker/replica:0/task:1/device:CPU:0', device_type='CPU')");
}

TEST_F(SecondOfTwo, FindsASystemOfTwoWorkers) {
  const CaughtLog log;
  const TPUStrategy strategy(resolver_);
  EXPECT_EQ(strategy.num_replicas_in_sync(), 8);
  EXPECT_EQ(strategy.topology(), default_client()->topology());
  expect_parts(log.lines(), {"*** Num TPU Cores: 8\n", "*** Num TPU Workers: 2\n",
                             "*** Num TPU Cores Per Worker: 4\n",
                             "*** Available Devices: /job:worker/replica:0/task:0/device:TPU:0 to "
                             "task:1/device:TPU:3\n"});
}

TEST_F(SecondOfTwo, IsAWorkerOfAMirroredStrategy) {
  const CaughtLog log;
  const MultiWorkerMirroredStrategy strategy;
  EXPECT_EQ(strategy.name(), "MultiWorkerMirroredStrategy");
  EXPECT_EQ(strategy.num_replicas_in_sync(), 8);
  EXPECT_EQ(strategy.topology(), default_client()->topology());
  EXPECT_CONTAINS(log.lines(), "MultiWorkerMirroredStrategy: 8 devices of 2 workers\n");
  EXPECT_EQ(strategy.scope([] { return get_strategy().name(); }), strategy.name());
}

TEST_F(SecondOfTwo, ReadsItsShareOfADataset) {
  const TPUStrategy strategy(resolver_);
  const CaughtLog log;
  DistributedDataset dataset = strategy.distribute_dataset(data::range(16).batch(4));
  EXPECT_CONTAINS(log.lines(),
                  "2 workers share the data by batch, since a source of it reads no files.");
  EXPECT_EQ(dataset.replicas(), 4);
  DistributedIterator iterator = iter(dataset);
  for (int32_t first : {4, 12}) {
    EXPECT_EQ(buffer_of(next(iterator)[0])->to_literal(),
              Literal::of<int32_t>({{first}, {first + 1}, {first + 2}, {first + 3}}));
  }
  EXPECT_FALSE(iterator.has_next());
}

TEST_F(SecondOfTwo, SharesAsTheOptionsOfTheDatasetSay) {
  const TPUStrategy strategy(resolver_);
  data::Options options;
  const data::DistributeOptions off{.auto_shard_policy = data::AutoShardPolicy::off};
  options.experimental_distribute = off;
  const data::Dataset batches = data::range(8).batch(4).with_options(options);
  DistributedIterator own = iter(strategy.distribute_dataset(batches));
  EXPECT_EQ(buffer_of(next(own)[0])->to_literal(), Literal::of<int32_t>({{0}, {1}, {2}, {3}}));
  DistributedIterator shared = iter(strategy.distribute_dataset(
      batches, {.count = 2, .index = 1, .policy = data::AutoShardPolicy::data}));
  EXPECT_EQ(buffer_of(next(shared)[0])->to_literal(), Literal::of<int32_t>({{4}, {5}, {6}, {7}}));
}

TEST_F(SecondOfTwo, IsToldWhichPipelineItReads) {
  const TPUStrategy strategy(resolver_);
  struct Case {
    InputWorkers workers;
    int64_t pipelines, id, replicas, per_replica;  // of a global batch of 32
  };
  for (const Case& c : {Case{{}, 2, 1, 8, 4}, Case{{.count = 4, .index = 3}, 4, 3, 16, 2}}) {
    InputContext told;
    strategy.distribute_datasets_from_function(
        [&](const InputContext& context) {
          told = context;
          return data::range(8).batch(1);
        },
        c.workers);
    EXPECT_EQ(told.num_input_pipelines, c.pipelines);
    EXPECT_EQ(told.input_pipeline_id, c.id);
    EXPECT_EQ(told.num_replicas_in_sync, c.replicas);
    EXPECT_EQ(told.get_per_replica_batch_size(32), c.per_replica);
  }
}

TEST_F(SecondOfTwo, ReducesInsideOfProgramsAlone) {
  const TPUStrategy strategy(resolver_);
  const PerReplica value(constant(1.f), strategy.topology());
  EXPECT_EQ(value.replicas(), 4);
  EXPECT_CONTAINS(error_of([&] { strategy.reduce(ReduceOp::sum, value); }),
                  "strategy.reduce over 2 processes, outside of `function`");
}

TEST(Processes, OfAResolverAreThoseOfThisRun) {
  EXPECT_EQ(TPUClusterResolver("v3-8").processes(), runtime::Processes{});
}

}  // namespace
}  // namespace systolic
