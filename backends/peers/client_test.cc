// A client of several processes against a client of one with as many cores.
#include "backends/peers/client.h"

#include <gtest/gtest.h>

#include "backends/cpu/client.h"
#include "backends/peers/piece.h"
#include "backends/peers/test_peers.h"
#include "systolic/base/test_errors.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/runtime/takes_pieces.h"

namespace systolic {
namespace {

using namespace ir;
using Placing = runtime::Placement;

constexpr int cores_of_one = 2;

Literal counted(const Shape& shape, double step) {
  Literal x(DType::f32, shape);
  auto values = x.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(step * static_cast<double>(i % 17) - 0.5);
  }
  return x;
}

// A step of a dense layer: x and y cut by the batch over all cores, w donated.
Module dense_step(int cores) {
  Module module;
  module.name = "dense_step";
  module.num_partitions = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const auto rows = Sharding::along(0, 2, cores);
  const Value x = b.argument({DType::f32, {24, 3}}, {.name = "x", .sharding = rows});
  const Value w = b.argument({DType::f32, {3, 2}}, {.name = "w", .aliases_result = 0});
  const Value y = b.argument({DType::f32, {24, 2}}, {.name = "y", .sharding = rows});
  const Value guess = unary(OpCode::tanh, dot(x, w));
  const Value error = guess - y;
  const Value slope = error * (1.0 - guess * guess) / 24.0;
  b.result(w - dot_general(x, slope, {{}, {}, {0}, {0}, {}, {}}));
  b.result(reduce_sum(error * error, {0, 1}));
  b.result(guess, {.sharding = rows});
  return module;
}

std::vector<Literal> run_dense(runtime::Client& client) {
  const auto rows = Sharding::along(0, 2, client.cores());
  const Placing cut{Placing::Kind::sharded, rows, 0};
  const auto program = client.compile(dense_step(client.cores()));
  std::vector<runtime::BufferPtr> arguments{client.from_host(counted({24, 3}, 0.1), cut),
                                            client.from_host(counted({3, 2}, 0.2)),
                                            client.from_host(counted({24, 2}, 0.07), cut)};
  runtime::BufferPtr w = std::move(arguments[1]);
  std::vector<Literal> values;
  for (int step = 0; step < 3; ++step) {
    std::vector<runtime::BufferPtr> own{arguments[0], std::move(w), arguments[2]};
    auto results = program->execute(std::move(own));
    w = results[0];
    for (const auto& result : results) values.push_back(result->to_literal());
    results.clear();
  }
  return values;
}

void expect_near(const Literal& got, const Literal& wanted) {
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got.number_at(i), wanted.number_at(i), 1e-5) << i;
  }
}

TEST(PeerClient, AStepEqualsThatOfOneProcess) {
  for (const int count : {2, 4}) {
    const auto one = cpu::open_software_tpu("v3-8", count * cores_of_one);
    const std::vector<Literal> wanted = run_dense(*one);
    const auto errors = as_processes(count, [&](const runtime::PeersPtr& peers) {
      const auto client = peers::client_of_all(cpu::open_software_tpu("v3-8", cores_of_one), peers);
      EXPECT_EQ(client->cores(), count * cores_of_one);
      EXPECT_EQ(client->topology().process_index(), peers->processes().index);
      const std::vector<Literal> got = run_dense(*client);
      for (size_t i = 0; i < got.size(); ++i) expect_near(got[i], wanted[i]);
    });
    EXPECT_EQ(errors, std::vector<std::string>(static_cast<size_t>(count)));
  }
}

// Each process has its rows of x and y, and sees no others.
TEST(PeerClient, RowsThatEachProcessBringsAreOneArray) {
  constexpr int count = 2, cores = count * cores_of_one;
  const Literal x = counted({24, 3}, 0.1), w = counted({3, 2}, 0.2), y = counted({24, 2}, 0.07);
  const auto one = cpu::open_software_tpu("v3-8", cores);
  const auto wanted = run_dense(*one);
  const auto errors = as_processes(count, [&](const runtime::PeersPtr& peers) {
    const int own = peers->processes().index;
    const auto client = peers::client_of_all(cpu::open_software_tpu("v3-8", cores_of_one), peers);
    auto& by_pieces = dynamic_cast<runtime::TakesPieces&>(*client);
    const Placing rows{Placing::Kind::sharded, Sharding::along(0, 2, cores), 0};
    const auto piece = [&](const Literal& whole) {
      return by_pieces.from_host_piece(peers::piece_of(whole, 0, own, count), rows);
    };
    EXPECT_EQ(piece(x)->type().shape, x.shape());
    const auto got =
        client->compile(dense_step(cores))->execute({piece(x), client->from_host(w), piece(y)});
    for (size_t i = 0; i < got.size(); ++i) expect_near(got[i]->to_literal(), wanted[i]);
    const Placing along_columns{Placing::Kind::sharded, Sharding::along(1, 2, cores), 0};
    EXPECT_CONTAINS(error_of([&] { by_pieces.from_host_piece(x, along_columns); }),
                    "whose first axis the processes share");
    EXPECT_CONTAINS(error_of([&] { by_pieces.from_host_piece(x, {}); }), "of shape (24, 3)");
  });
  EXPECT_EQ(errors, std::vector<std::string>(count));
}

// A program for each core: its part of x minus the mean of all, and its number.
Module per_core_program(int cores) {
  Module module;
  module.name = "per_core";
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {3}});
  const Value w = b.argument({DType::f32, {3}}, {.uniform = true});
  const Value sum = all_reduce(x * w, OpCode::add);
  b.result(x - sum / static_cast<double>(cores));
  b.result(convert(replica_id(b), DType::i32));
  b.result(sum);
  return module;
}

TEST(PeerClient, AProgramForEachCoreRunsOnTheCoresOfAll) {
  constexpr int count = 3;
  const Literal x = counted({count * cores_of_one, 3}, 0.3), w = counted({3}, 0.4);
  const Placing each{Placing::Kind::per_core, {}, 0};
  const auto one = cpu::open_software_tpu("v3-8", count * cores_of_one);
  std::vector<runtime::BufferPtr> whole{one->from_host(x, each), one->from_host(w)};
  const auto wanted = one->compile(per_core_program(one->cores()))->execute(std::move(whole));
  const auto errors = as_processes(count, [&](const runtime::PeersPtr& peers) {
    const int own = peers->processes().index;
    const auto client = peers::client_of_all(cpu::open_software_tpu("v3-8", cores_of_one), peers);
    std::vector<runtime::BufferPtr> arguments{
        client->from_host(peers::piece_of(x, 0, own, count), each), client->from_host(w)};
    const auto got =
        client->compile(per_core_program(client->cores()))->execute(std::move(arguments));
    for (size_t i : {size_t{0}, size_t{1}}) {
      EXPECT_EQ(got[i]->placement().kind, Placing::Kind::per_core);
      expect_near(got[i]->to_literal(), peers::piece_of(wanted[i]->to_literal(), 0, own, count));
      expect_near(got[i]->core_literal(own * cores_of_one + 1),
                  wanted[i]->core_literal(own * cores_of_one + 1));
    }
    expect_near(got[2]->to_literal(), wanted[2]->to_literal());
  });
  EXPECT_EQ(errors, std::vector<std::string>(count));
}

TEST(PeerClient, OtherProgramsAndOtherCoresAreFoundBeforeTheyRun) {
  const auto programs = as_processes(2, [](const runtime::PeersPtr& peers) {
    const auto client = peers::client_of_all(cpu::open_software_tpu("v3-8", cores_of_one), peers);
    Module module = dense_step(client->cores());
    if (peers->processes().index == 1) module.name = "another";
    client->compile(module, {.name = "step"});
  });
  EXPECT_CONTAINS(programs[0], "another program 0 (step): another, ");
  const auto cores = as_processes(2, [](const runtime::PeersPtr& peers) {
    peers::client_of_all(cpu::open_software_tpu("v3-8", 1 + peers->processes().index), peers);
  });
  EXPECT_CONTAINS(cores[0], "another the cores of each process: software_tpu v3-8, 2 cores");
}

TEST(PeerClient, WhatIsCutIsNotReadWhole) {
  const auto errors = as_processes(2, [](const runtime::PeersPtr& peers) {
    const auto client = peers::client_of_all(cpu::open_software_tpu("v3-8", cores_of_one), peers);
    const auto x = client->from_host(counted({8, 2}, 1),
                                     {Placing::Kind::sharded, Sharding::along(0, 2, 4), 0});
    EXPECT_CONTAINS(error_of([&] { x->to_literal(); }), "of which this process has a piece");
    EXPECT_CONTAINS(error_of([&] { client->memory_in_use(5); }), "core 5");
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(PeerClient, PiecesOfArrays) {
  const Literal x = counted({2, 4, 3}, 1);
  for (int axis : {0, 1}) {
    for (int64_t i : {0, 1}) {
      const Literal piece = peers::piece_of(x, axis, i, 2);
      EXPECT_EQ(piece.shape()[axis], x.shape()[axis] / 2);
      const int64_t row = axis == 0 ? i : 0, column = axis == 1 ? i * 2 : 0;
      EXPECT_EQ(piece.number_at(0), x.at<float>({row, column, 0}));
    }
  }
}

}  // namespace
}  // namespace systolic
