// What the software TPU counts for each core.
#include <gtest/gtest.h>

#include <chrono>

#include "backends/cpu/client.h"
#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Module;
using ir::Value;
using runtime::BufferPtr;
using runtime::CoreCounters;
using runtime::Placement;

Module new_module() {
  Module module;
  module.functions.emplace_back();
  return module;
}

// x · w, the rows of x over all cores.
Module sharded_product(int64_t cores) {
  Module module = new_module();
  module.num_partitions = cores;
  Builder b(module.main(), &module);
  const ir::Sharding rows = ir::Sharding::along(0, 2, cores);
  const Value x = b.argument({DType::f32, {64, 32}}, {.sharding = rows});
  const Value w = b.argument({DType::f32, {32, 16}});
  b.result(ir::dot(x, w), {.sharding = rows});
  return module;
}

constexpr double product_flops = 2.0 * 64 * 32 * 16;

TEST(Counters, CoresShareTheWorkOfAShardedProgram) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8");
  const auto program = client->compile(sharded_product(8));
  const Placement rows{.kind = Placement::Kind::sharded, .sharding = ir::Sharding::along(0, 2, 8)};
  const BufferPtr x = client->from_host(Literal::zeros(DType::f32, {64, 32}), rows);
  const BufferPtr w = client->from_host(Literal::zeros(DType::f32, {32, 16}));
  client->reset_counters();
  for (int step = 0; step < 3; ++step) program->execute({x, w});
  for (int core = 0; core < 8; ++core) {
    const CoreCounters counters = client->counters(core);
    EXPECT_DOUBLE_EQ(counters.flops, 3 * product_flops / 8);
    EXPECT_DOUBLE_EQ(counters.bytes, 3 * program->cost().bytes / 8);
    EXPECT_GT(counters.busy_seconds, 0);
    EXPECT_EQ(counters.input_wait_seconds, 0);
  }
  EXPECT_THROW(client->counters(8), InvalidArgument);
}

// By hand: 64 rows in eights are 64, 32 columns and 16 fill one tile of the v3's 128 by 128.
TEST(Counters, ProductsAreTheWorkOfTheMatrixUnit) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8");
  Module module = new_module();
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {64, 32}});
  const Value w = b.argument({DType::f32, {32, 16}});
  const Value product = ir::dot(x, w);
  b.result(product * product);
  const runtime::CostStats cost = client->compile(module)->cost();
  EXPECT_DOUBLE_EQ(cost.matrix_flops, product_flops);
  EXPECT_DOUBLE_EQ(cost.padded_matrix_flops, 2.0 * 64 * 128 * 128);
  EXPECT_GT(cost.flops, cost.matrix_flops);  // and the squares
}

// Each core adds its part of x' · dy, [32, 16], to the others': by hand 2048 bytes.
TEST(Counters, WhatCoresHandToCollectivesIsCounted) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8");
  Module module = new_module();
  module.num_partitions = 8;
  Builder b(module.main(), &module);
  const ir::Sharding rows = ir::Sharding::along(0, 2, 8);
  const Value x = b.argument({DType::f32, {64, 32}}, {.sharding = rows});
  const Value dy = b.argument({DType::f32, {64, 16}}, {.sharding = rows});
  b.result(ir::dot(ir::transpose(x, {1, 0}), dy));
  const auto program = client->compile(module);
  const Placement cut{.kind = Placement::Kind::sharded, .sharding = rows};
  const BufferPtr of_x = client->from_host(Literal::zeros(DType::f32, {64, 32}), cut);
  const BufferPtr of_dy = client->from_host(Literal::zeros(DType::f32, {64, 16}), cut);
  client->reset_counters();
  for (int step = 0; step < 3; ++step) program->execute({of_x, of_dy});
  EXPECT_DOUBLE_EQ(program->cost().collective_bytes, 8.0 * 32 * 16 * 4);
  EXPECT_DOUBLE_EQ(client->counters(5).collective_bytes, 3.0 * 32 * 16 * 4);
}

// Rounds that only the run counts: each adds up [4] in f32.
TEST(Counters, CollectivesOfALoopCountByItsRounds) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8");
  Module module = new_module();
  module.num_replicas = 8;
  Builder b(module.main(), &module);
  const Value rounds = b.argument({DType::i32, {}}, {.uniform = true});
  const Value x = b.argument({DType::f32, {4}});
  const std::vector<Value> start{b.filled(DType::i32, {}, 0), x};
  b.result(ir::while_loop(
      start, [&](std::span<const Value> s) { return ir::compare(s[0], rounds, ir::Direction::lt); },
      [&](std::span<const Value> s) {
        return std::vector<Value>{s[0] + 1.0, ir::all_reduce(s[1], ir::OpCode::add) * 0.1};
      })[1]);
  const BufferPtr each =
      client->from_host(Literal::zeros(DType::f32, {8, 4}), {.kind = Placement::Kind::per_core});
  client->compile(module)->execute({client->from_host(Literal::scalar(7)), each});
  EXPECT_DOUBLE_EQ(client->counters(2).collective_bytes, 7.0 * 4 * 4);
}

TEST(Counters, ThePeakIsOfBuffersAndOfTheRunningProgramsArrays) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8");
  const auto program = client->compile(sharded_product(8));
  constexpr int64_t x_bytes = 64 * 32 * 4, w_bytes = 32 * 16 * 4, result_bytes = 64 * 16 * 4;
  client->reset_counters();
  EXPECT_EQ(client->counters(0).peak_memory_bytes, 0);
  const BufferPtr w = client->from_host(Literal::zeros(DType::f32, {32, 16}));
  EXPECT_EQ(client->counters(3).peak_memory_bytes, w_bytes);
  {
    const Placement rows{.kind = Placement::Kind::sharded,
                         .sharding = ir::Sharding::along(0, 2, 8)};
    const BufferPtr x = client->from_host(Literal::zeros(DType::f32, {64, 32}), rows);
    program->execute({x, w});
  }
  const int64_t temporaries = program->memory().temporaries;
  EXPECT_EQ(client->memory_in_use(3), w_bytes);
  EXPECT_EQ(client->counters(3).peak_memory_bytes,
            w_bytes + (x_bytes + result_bytes) / 8 + temporaries);
  const BufferPtr alone = client->from_host(Literal::zeros(DType::f32, {1 << 20}),
                                            {.kind = Placement::Kind::single, .core = 5});
  EXPECT_EQ(client->counters(5).peak_memory_bytes, w_bytes + (4 << 20));
  EXPECT_LT(client->counters(4).peak_memory_bytes, 1 << 20);
}

TEST(Counters, CoresOfAPerCoreProgramDoTheirOwnWork) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8");
  Module module = new_module();
  module.num_replicas = 8;
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {64, 32}});
  const Value w = b.argument({DType::f32, {32, 16}}, {.uniform = true});
  b.result(ir::dot(x, w));
  const BufferPtr each = client->from_host(Literal::zeros(DType::f32, {8, 64, 32}),
                                           {.kind = Placement::Kind::per_core});
  client->compile(module)->execute({each, client->from_host(Literal::zeros(DType::f32, {32, 16}))});
  for (int core = 0; core < 8; ++core) {
    EXPECT_DOUBLE_EQ(client->counters(core).flops, product_flops);
  }
}

TEST(Counters, AProgramOnOneCoreLeavesTheOthersIdle) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8");
  const auto program = client->compile(sharded_product(1));
  const auto on = [&](int core, const Shape& shape) {
    return client->from_host(Literal::zeros(DType::f32, shape),
                             {.kind = Placement::Kind::single, .core = core});
  };
  program->execute({on(5, {64, 32}), on(5, {32, 16})});
  EXPECT_DOUBLE_EQ(client->counters(5).flops, product_flops);
  EXPECT_GT(client->counters(5).busy_seconds, 0);
  EXPECT_EQ(client->counters(4).flops, 0);
  EXPECT_EQ(client->counters(4).busy_seconds, 0);
}

// The rounds of a loop and the branch taken count, not what the plan guesses.
TEST(Counters, LoopsCountTheirRounds) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  Module module = new_module();
  Builder b(module.main(), &module);
  const Value rounds = b.argument({DType::i32, {}});
  const Value w = b.argument({DType::f32, {16, 16}});
  const Value state[] = {b.constant(Literal::scalar<int32_t>(0)), w};
  const ir::Type types[] = {{DType::i32, {}}, {DType::f32, {16, 16}}};
  std::vector<ir::Block> regions;
  regions.push_back(b.region(types, [&](std::span<const Value> now) {
    return std::vector<Value>{compare(now[0], rounds, ir::Direction::lt)};
  }));
  regions.push_back(b.region(types, [&](std::span<const Value> now) {
    return std::vector<Value>{now[0] + 1.0, ir::dot(now[1], w)};
  }));
  b.result(b.append(ir::OpCode::while_, state, {}, std::move(regions))[1]);
  const auto program = client->compile(module);
  const BufferPtr weights = client->from_host(Literal::zeros(DType::f32, {16, 16}));
  const auto flops_of = [&](int32_t count) {
    client->reset_counters();
    program->execute({client->from_host(Literal::scalar(count)), weights});
    return client->counters(0).flops;
  };
  const double none = flops_of(0), once = flops_of(1) - none;
  EXPECT_GE(once, 2.0 * 16 * 16 * 16);
  EXPECT_DOUBLE_EQ(flops_of(5), none + 5 * once);
}

// Which bounds a loop counts to, and how often it runs.
struct Counted {
  int32_t start, end;
  ir::Direction direction;
  bool bound_is_carried;
  double rounds;
};

double planned_flops(const Counted& loop) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  Module module = new_module();
  Builder b(module.main(), &module);
  const Value w = b.argument({DType::f32, {16, 16}});
  const Value end = b.constant(Literal::scalar(loop.end));
  const Value state[] = {b.constant(Literal::scalar(loop.start)), end, w};
  const ir::Type types[] = {{DType::i32, {}}, {DType::i32, {}}, {DType::f32, {16, 16}}};
  std::vector<ir::Block> regions;
  regions.push_back(b.region(types, [&](std::span<const Value> now) {
    const Value bound = loop.bound_is_carried ? now[1] : b.constant(Literal::scalar(loop.end));
    return std::vector<Value>{compare(now[0], bound, loop.direction)};
  }));
  regions.push_back(b.region(types, [&](std::span<const Value> now) {
    return std::vector<Value>{now[0] + 1.0, now[1], ir::dot(now[2], w)};
  }));
  b.result(b.append(ir::OpCode::while_, state, {}, std::move(regions))[2]);
  const auto program = client->compile(module);
  client->reset_counters();
  program->execute({client->from_host(Literal::zeros(DType::f32, {16, 16}))});
  EXPECT_DOUBLE_EQ(client->counters(0).flops, program->cost().flops);
  return program->cost().flops;
}

TEST(Counters, APlanCountsTheRoundsThatItKnows) {
  const double once = planned_flops({0, 1, ir::Direction::lt, false, 1});
  EXPECT_GE(once, 2.0 * 16 * 16 * 16);
  EXPECT_LE(once, 2.0 * 16 * 16 * 16 + 8);
  const Counted loops[] = {{0, 5, ir::Direction::lt, false, 5},
                           {2, 5, ir::Direction::le, false, 4},
                           {-3, 4, ir::Direction::lt, true, 7},
                           {5, 5, ir::Direction::lt, false, 0},
                           {9, 5, ir::Direction::le, true, 0}};
  for (const Counted& loop : loops) {
    EXPECT_DOUBLE_EQ(planned_flops(loop), loop.rounds * once) << loop.start << " " << loop.end;
  }
}

TEST(Counters, BusyIdleAndInputWaitAreTheWholeTime) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  const auto program = client->compile(sharded_product(1));
  const BufferPtr x = client->from_host(Literal::zeros(DType::f32, {64, 32}));
  const BufferPtr w = client->from_host(Literal::zeros(DType::f32, {32, 16}));
  const auto before_reset = Clock::now();
  client->reset_counters();
  const auto after_reset = Clock::now();
  for (int step = 0; step < 5; ++step) {
    const auto start = Clock::now();
    client->add_input_wait(seconds(Clock::now() - start));
    program->execute({x, w});
  }
  const auto before_read = Clock::now();
  const CoreCounters counters = client->counters(0);
  const auto after_read = Clock::now();
  const double whole = counters.busy_seconds + counters.idle_seconds + counters.input_wait_seconds;
  const double rounding = 1e-8;
  EXPECT_GE(whole, seconds(before_read - after_reset) - rounding);
  EXPECT_LE(whole, seconds(after_read - before_reset) + rounding);
  EXPECT_GT(counters.busy_seconds, 0);
  EXPECT_GT(counters.idle_seconds, 0);
}

}  // namespace
}  // namespace systolic
