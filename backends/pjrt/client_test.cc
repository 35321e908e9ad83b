// The runtime's interfaces on a plugin.
#include "backends/pjrt/client.h"

#include <gtest/gtest.h>

#include <set>

#include "backends/pjrt/fake_plugin_test.h"
#include "backends/pjrt/shards.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/core/test_literals.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/runtime/takes_pieces.h"

namespace systolic {
namespace {

using namespace ir;
using runtime::BufferPtr;
using runtime::Placement;
using Kind = Placement::Kind;

Placement rows_over(int64_t cores) {
  return {.kind = Kind::sharded, .sharding = Sharding::along(0, 2, cores)};
}

// result 0 = argument 0 + 1 (as the fake computes it), in the memory of argument 0.
Module plus_one(Shape shape, int64_t replicas, int64_t partitions) {
  Module module;
  module.name = "plus_one";
  module.num_replicas = replicas;
  module.num_partitions = partitions;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  std::optional<Sharding> sharding;
  if (partitions > 1) sharding = Sharding::along(0, shape.rank(), partitions);
  const ir::Value x =
      b.argument({DType::f32, shape}, {.name = "x", .sharding = sharding, .aliases_result = 0});
  b.result(x + b.constant(Literal::filled(DType::f32, shape, 1)), {.sharding = sharding});
  return module;
}

struct FakeClient {
  explicit FakeClient(int devices = 2) {
    fake->devices = devices;
    fake->donates = {0};
    client = pjrt::open_client(fake.path());
  }
  FakePlugin fake;
  runtime::ClientPtr client;
};

TEST(Shards, AreCutOutAndPutBack) {
  const Literal whole = counting({4, 6});
  const ShardRange range{.start = {2, 3}, .size = {2, 3}};
  const Literal part = pjrt::part_of(whole, range);
  EXPECT_EQ(part, Literal::of<float>({{15, 16, 17}, {21, 22, 23}}));
  Literal other = Literal::zeros(DType::f32, {4, 6});
  pjrt::put_part(other, part, range);
  EXPECT_EQ(other.at<float>({2, 3}), 15);
  EXPECT_EQ(other.at<float>({3, 5}), 23);
  EXPECT_EQ(other.at<float>({1, 3}), 0);
  const Literal scalar = Literal::scalar(7);
  EXPECT_EQ(pjrt::part_of(scalar, {}), scalar);
}

TEST(PjrtClient, KnowsTheKindOfItsDevices) {
  FakeClient one(8);
  EXPECT_EQ(one.client->platform(), "tpu");
  EXPECT_EQ(one.client->cores(), 8);
  EXPECT_EQ(one.client->kind().name, "v3-8");
  EXPECT_EQ(pjrt::kind_of("TPU v5 lite", 4, 0).name, "v5e-4");
  EXPECT_EQ(pjrt::kind_of("TPU v4", 4, 0).cores(), 4);
  EXPECT_EQ(pjrt::kind_of("TPU v3", 6, 0).cores(), 6);
  const TpuKind other = pjrt::kind_of("NVIDIA H200", 2, 1 << 30);
  EXPECT_EQ(other.name, "NVIDIA H200");
  EXPECT_EQ(other.cores(), 2);
  EXPECT_EQ(other.generation.memory_bytes_per_core, 1 << 30);
  EXPECT_THROW(pjrt::open_client(one.fake.path(), 9), InvalidArgument);
}

TEST(PjrtClient, PlacesArrays) {
  FakeClient one(4);
  const Literal x = counting({8, 2});
  for (const Placement& placement :
       {Placement{}, rows_over(4), rows_over(2), Placement{.kind = Kind::single, .core = 3}}) {
    const BufferPtr buffer = one.client->from_host(x, placement);
    EXPECT_EQ(buffer->to_literal(), x);
    EXPECT_EQ(buffer->type().shape, x.shape());
    EXPECT_EQ(buffer->placement(), placement);
  }
  EXPECT_EQ(one.client->from_host(x, rows_over(2))->core_literal(3), x.rows(4, 8));
  const Literal own = counting({4, 3});
  const BufferPtr per_core = one.client->from_host(own, {.kind = Kind::per_core});
  EXPECT_EQ(per_core->to_literal(), own);
  EXPECT_EQ(per_core->type().shape, (Shape{3}));
  EXPECT_EQ(per_core->core_literal(2), own.row(2));
  EXPECT_THROW(one.client->from_host(counting({3}), {.kind = Kind::per_core}), InvalidArgument);
  EXPECT_THROW(one.client->from_host(counting({6, 1}), rows_over(4)), InvalidArgument);
  EXPECT_THROW(one.client->from_host(x, {.kind = Kind::single, .core = 4}), InvalidArgument);
  EXPECT_THROW(one.client->from_host(Literal::scalar("text")), InvalidArgument);
  EXPECT_THROW(per_core->core_literal(4), InvalidArgument);
}

// Cores 2, 3, 6 and 7 of 8 are the second process's.
TEST(PjrtClient, OfOneOfTwoProcessesUsesItsOwnCores) {
  FakePlugin fake;
  fake->devices = 8;
  fake->processes = 2;
  fake->process = 1;
  const runtime::ClientPtr client = pjrt::open_client(fake.path());
  EXPECT_EQ(client->cores(), 8);
  EXPECT_EQ(client->kind().name, "v3-8");
  EXPECT_EQ(client->topology().addressable_cores(), (std::vector<int>{2, 3, 6, 7}));
  // Arrays: parts by the number over all processes, an array of its own for each core that is here.
  const Literal x = counting({8, 2});
  const BufferPtr rows = client->from_host(x, rows_over(8));
  for (int core : {2, 3, 6, 7}) EXPECT_EQ(rows->core_literal(core), x.rows(core, core + 1));
  EXPECT_CONTAINS(error_of([&] { rows->core_literal(0); }), "core 0 is process 0's");
  EXPECT_CONTAINS(error_of([&] { rows->to_literal(); }), "Unimplemented: the array");
  const BufferPtr own = client->from_host(counting({4, 3}), {.kind = Kind::per_core});
  EXPECT_EQ(own->to_literal(), counting({4, 3}));
  EXPECT_EQ(own->core_literal(6), counting({4, 3}).row(2));
  EXPECT_THROW(client->from_host(counting({8, 3}), {.kind = Kind::per_core}), InvalidArgument);
  EXPECT_EQ(client->from_host(x, {.kind = Kind::single, .core = 7})->to_literal(), x);
  EXPECT_THROW(client->from_host(x, {.kind = Kind::single, .core = 4}), InvalidArgument);
  // A piece of an array, of which the other process has another one: a part for each core here.
  auto& by_pieces = dynamic_cast<runtime::TakesPieces&>(*client);
  const BufferPtr piece = by_pieces.from_host_piece(counting({4, 2}), rows_over(8));
  EXPECT_EQ(piece->type().shape, Shape({8, 2}));
  EXPECT_EQ(piece->core_literal(6), counting({4, 2}).rows(2, 3));
  EXPECT_THROW(by_pieces.from_host_piece(counting({3, 2}), rows_over(8)), InvalidArgument);
  EXPECT_THROW(by_pieces.from_host_piece(counting({4, 2}), {}), InvalidArgument);
  // Counters and memory, of its own cores.
  EXPECT_EQ(client->counters(3).flops, 0);
  EXPECT_GT(client->memory_in_use(7), 0);
  EXPECT_THROW(client->counters(0), InvalidArgument);
  EXPECT_THROW(client->memory_in_use(5), InvalidArgument);
  EXPECT_CONTAINS(error_of([&] { pjrt::open_client(fake.path(), 3); }), "one of several processes");
  EXPECT_EQ(pjrt::open_client(fake.path(), 4)->cores(), 8);
  // Programs: for the devices of all processes, started on those that are here.
  fake->donates = {0};
  const runtime::ExecutablePtr program = client->compile(plus_one({8, 2}, 1, 8));
  EXPECT_EQ(fake->device_ids, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  const std::vector<BufferPtr> results = program->execute({rows}, {});
  EXPECT_EQ(results[0]->core_literal(6), Literal::of<float>({{13, 14}}));
}

struct RunRow {
  const char* name;
  int64_t replicas, partitions;
  Placement given, result;
};
const RunRow run_rows[] = {
    {"one program on all cores", 1, 1, {}, {}},
    {"on one core", 1, 1, {.kind = Kind::single, .core = 1}, {.kind = Kind::single, .core = 1}},
    {"global", 1, 2, rows_over(2), rows_over(2)},
    {"global, the argument lies otherwise", 1, 2, {}, rows_over(2)},
    {"per core", 2, 1, {.kind = Kind::per_core}, {.kind = Kind::per_core}},
    {"per core, the same for all", 2, 1, {}, {.kind = Kind::per_core}},
};

TEST(PjrtClient, RunsProgramsOfEveryForm) {
  const CaughtLog log;  // arrays that lie otherwise are a warning
  for (const RunRow& row : run_rows) {
    FakeClient one;
    const auto program = one.client->compile(plus_one({4, 2}, row.replicas, row.partitions));
    const bool own = row.given.kind == Kind::per_core;
    const Literal x = own ? counting({2, 4, 2}) : counting({4, 2});
    std::vector<BufferPtr> results = program->execute({one.client->from_host(x, row.given)});
    ASSERT_EQ(results.size(), 1u) << row.name;
    EXPECT_EQ(results[0]->placement(), row.result) << row.name;
    const Literal y = results[0]->to_literal();
    EXPECT_EQ(y.size(), row.result.kind == Kind::per_core ? 16 : 8) << row.name;
    for (int64_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(y.number_at(i), x.number_at(i % x.size()) + 1) << row.name;
    }
    // What it was compiled for.
    const bool alone = row.given.kind == Kind::single;
    EXPECT_EQ(one.fake->device_ids, alone ? std::vector<int64_t>{1} : (std::vector<int64_t>{0, 1}))
        << row.name;
  }
}

TEST(PjrtClient, DonatesWhatNobodyElseHolds) {
  FakeClient one;
  const auto program = one.client->compile(plus_one({4, 2}, 1, 2));
  const BufferPtr held = one.client->from_host(counting({4, 2}), rows_over(2));
  std::vector<BufferPtr> first = program->execute({held});
  EXPECT_FALSE(held->deleted());
  EXPECT_EQ(held->to_literal(), counting({4, 2}));  // not overwritten
  std::vector<BufferPtr> second = program->execute(std::move(first));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(first[0]->deleted());
  EXPECT_THROW(first[0]->to_literal(), FailedPrecondition);
  EXPECT_EQ(second[0]->to_literal().number_at(0), 2);
  EXPECT_THROW(program->execute(std::move(first)), FailedPrecondition);
}

TEST(PjrtClient, LeavesArgumentsAsTheyWereWhenARunFails) {
  FakeClient one;
  const auto program = one.client->compile(plus_one({4, 2}, 1, 2));
  std::vector<BufferPtr> arguments = {one.client->from_host(counting({4, 2}), rows_over(2))};
  one.fake.fail_at(0, 14);
  const std::string text = message_of<Unavailable>([&] {
    program->execute(std::move(arguments), {.step = 17, .location = {"train.cc", 3}});
  });
  EXPECT_NE(text.find("step 17 of program: "), std::string::npos) << text;
  EXPECT_NE(text.find("PJRT_LoadedExecutable_Execute: UNAVAILABLE: made to fail"),
            std::string::npos);
  EXPECT_NE(text.find("train.cc:3"), std::string::npos) << text;
  one.fake.fail_at(-1);
  ASSERT_EQ(arguments.size(), 1u);
  EXPECT_EQ(arguments[0]->to_literal(), counting({4, 2}));
  EXPECT_EQ(program->execute(std::move(arguments))[0]->to_literal().number_at(1), 2);
}

TEST(PjrtClient, NamesTheRunOfAnErrorThatShowsLater) {
  FakeClient one;
  const auto program = one.client->compile(plus_one({4, 2}, 1, 2));
  const auto results =
      program->execute({one.client->from_host(counting({4, 2}), rows_over(2))}, {.step = 3});
  one.fake.fail_at(0, 13);
  const std::string text = message_of<Internal>([&] { results[0]->to_literal(); });
  EXPECT_NE(text.find("step 3 of program: "), std::string::npos) << text;
}

TEST(PjrtClient, RefusesWhatCannotRun) {
  FakeClient one, other;
  EXPECT_THROW(one.client->compile(plus_one({4, 2}, 4, 1)), InvalidArgument);
  EXPECT_THROW(one.client->compile(plus_one({4, 2}, 2, 2)), InvalidArgument);
  // Groups of cores that are not there never reach the plugin.
  Module module = plus_one({4, 2}, 2, 1);
  Builder b(module.main(), &module);
  all_reduce(ir::Value(b, module.main().body.arguments[0]), OpCode::add);
  std::get<CollectiveAttributes>(module.main().body.ops.back().attributes).replica_groups = {
      {0, 9}};
  one.fake->program.clear();
  EXPECT_THROW(one.client->compile(module), InvalidArgument);
  EXPECT_EQ(one.fake->program, "");

  const auto program = one.client->compile(plus_one({4, 2}, 1, 1));
  EXPECT_THROW(program->execute({}), InvalidArgument);
  EXPECT_THROW(program->execute({one.client->from_host(counting({2, 4}))}), InvalidArgument);
  EXPECT_THROW(program->execute({other.client->from_host(counting({4, 2}))}), InvalidArgument);
  EXPECT_THROW(program->execute({one.client->from_host(counting({2, 4, 2}), {Kind::per_core})}),
               InvalidArgument);
}

TEST(PjrtClient, SpreadsCollectivesOfOneCore) {
  FakeClient one;
  Module module;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.result(all_reduce(b.argument({DType::f32, {2}}), OpCode::add));
  one.client->compile(module);
  EXPECT_NE(one.fake->program.find("replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>"),
            std::string::npos)
      << one.fake->program;
  b.result(replica_id(b));
  EXPECT_THROW(one.client->compile(module), Unimplemented);
}

TEST(PjrtClient, CountsAndResets) {
  FakeClient one;
  const auto program = one.client->compile(plus_one({4, 2}, 1, 2));
  EXPECT_EQ(program->memory().arguments, 20);
  EXPECT_EQ(program->memory().peak(), 96);
  EXPECT_EQ(program->cost().flops, 2000);  // the fake counts 1000 a core
  const auto results = program->execute({one.client->from_host(counting({4, 2}), rows_over(2))});
  EXPECT_EQ(one.client->counters(1).flops, 1000);
  one.client->reset_counters();
  EXPECT_EQ(one.client->counters(1).flops, 0);
  EXPECT_EQ(one.client->memory_in_use(0), 4096);
  one.client->reset();
  EXPECT_TRUE(results[0]->deleted());
}

// The k-th call fails, for every k, while a program is compiled and run.
TEST(PjrtClient, SurvivesTheFailureOfEachCall) {
  FakePlugin fake;
  fake->donates = {0};
  pjrt::Plugin::load(fake.path());
  std::set<std::string> passed_over;
  for (int64_t call = 0;; ++call) {
    fake.fail_at(call);
    bool thrown = false;
    try {
      const auto client = pjrt::open_client(fake.path());
      const auto program = client->compile(plus_one({4, 2}, 1, 2));
      const auto results = program->execute({client->from_host(counting({4, 2}), rows_over(2))});
      EXPECT_EQ(results[0]->to_literal().number_at(7), 8);
      client->memory_in_use(0);
      client->reset();
    } catch (const Error& error) {
      thrown = true;
      EXPECT_NE(std::string(error.what()).find("made to fail"), std::string::npos) << error.what();
    }
    EXPECT_EQ(fake->live, 0) << call << " " << fake->failed;
    if (fake->failed.empty()) break;
    if (!thrown) passed_over.insert(fake->failed);
  }
  for (const std::string& name : passed_over) {
    EXPECT_TRUE(name.find("_Destroy") != std::string::npos || name == "PJRT_Event_OnReady") << name;
  }
}

}  // namespace
}  // namespace systolic
