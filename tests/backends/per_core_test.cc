// Programs for each of eight cores: the software TPU, which computes them together, against the
// interpreter, which runs them in lockstep.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/cpu/client.h"
#include "backends/interpreter/client.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/test_literals.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using namespace ir;
using runtime::BufferPtr;
using runtime::Placement;
using Values = std::vector<Value>;
using Arguments = std::span<const Value>;

constexpr int64_t cores = 8;

struct Row {
  const char* name;
  std::vector<Type> arguments;  // of one core
  std::vector<bool> uniform;
  std::function<Values(Builder&, Arguments)> build;
};

Module build_module(const Row& row) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  Values arguments;
  for (size_t i = 0; i < row.arguments.size(); ++i) {
    arguments.push_back(b.argument(row.arguments[i], {.uniform = row.uniform[i]}));
  }
  for (const Value& result : row.build(b, arguments)) b.result(result);
  return module;
}

std::vector<BufferPtr> run(runtime::Client& client, const Module& module) {
  std::vector<BufferPtr> arguments;
  for (size_t i = 0; i < module.main().arguments.size(); ++i) {
    Type type = module.main().type(module.main().body.arguments[i]);
    Placement placement;
    if (!module.main().arguments[i].uniform) {
      type.shape = type.shape.with_inserted(0, cores);
      placement.kind = Placement::Kind::per_core;
    }
    arguments.push_back(client.from_host(
        random_literal(type.dtype, type.shape, static_cast<uint32_t>(i + 1), {-2, 2}), placement));
  }
  return client.compile(module)->execute(std::move(arguments));
}

const Type f32_4x3{DType::f32, {4, 3}};

const std::vector<Row> rows{
    {"weight gradient and update",
     {{DType::f32, {3, 5}}, f32_4x3, {DType::f32, {4, 5}}},
     {true, false, false},
     [](Builder&, Arguments x) {
       const Value error = unary(OpCode::tanh, dot(x[1], x[0])) - x[2];
       const Value gradient = dot_general(x[1], error, {{}, {}, {0}, {0}, {}});
       return Values{x[0] - all_reduce(gradient, OpCode::add) * 0.01,
                     all_reduce(reduce_sum(error * error, {0, 1}), OpCode::add), error};
     }},
    {"collectives",
     {{DType::f32, {8, 3}}},
     {false},
     [](Builder&, Arguments x) {
       return Values{all_gather(x[0], 1, cores),
                     reduce_scatter(x[0], OpCode::add, 0, cores),
                     all_to_all(x[0], {0, 1, cores, {}}),
                     all_reduce(x[0], OpCode::maximum),
                     collective_permute(x[0], {{{0, 3}, {3, 0}, {5, 5}}, 0}),
                     all_reduce(x[0], OpCode::add, {{{0, 2, 4, 6}, {1, 3, 5, 7}}, 0, false})};
     }},
    {"cores that differ",
     {{DType::f32, {2, 6}}, {DType::i32, {}}},
     {true, false},
     [](Builder& b, Arguments x) {
       const Value id = convert(replica_id(b), DType::i32);
       const Value zero = b.filled(DType::i32, {}, 0);
       const Value mine = dynamic_slice(x[0], Values{zero, id}, {2, 1});
       const Value taken = if_else(
           compare(id, 3, Direction::gt), [&] { return Values{mine * 2.0}; },
           [&] { return Values{-mine}; })[0];
       const Value turns = while_loop(
           Values{zero}, [&](Arguments s) { return compare(s[0], id, Direction::lt); },
           [](Arguments s) { return Values{s[0] + 1.0}; })[0];
       return Values{mine, taken, convert(turns, DType::f32)};
     }},
};

TEST(PerCore, SameOnBothBackends) {
  const auto engine = cpu::open_software_tpu("v3-8");
  const auto oracle = interpreter::open_client(parse_tpu_kind("v3-8"));
  for (const Row& row : rows) {
    const Module module = build_module(row);
    std::vector<BufferPtr> got, wanted;
    ASSERT_NO_THROW(wanted = run(*oracle, module)) << row.name;
    try {
      got = run(*engine, module);
    } catch (const Error& error) {
      FAIL() << row.name << ": " << error.what();
    }
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      for (int core = 0; core < cores; ++core) {
        expect_near(got[i]->core_literal(core), wanted[i]->core_literal(core),
                    {.absolute = 1e-4, .relative = 1e-4},
                    str(row.name, ", result ", i, ", core ", core));
      }
    }
  }
}

TEST(PerCore, WhatAllCoresShareIsHeldOnce) {
  const auto engine = cpu::open_software_tpu("v3-8");
  const std::vector<BufferPtr> results = run(*engine, build_module(rows[0]));
  EXPECT_EQ(results[0]->placement().kind, Placement::Kind::replicated);
  EXPECT_EQ(results[2]->placement().kind, Placement::Kind::per_core);
}

}  // namespace
}  // namespace systolic
