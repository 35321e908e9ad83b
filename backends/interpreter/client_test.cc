#include "backends/interpreter/client.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/core/test_literals.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using namespace ir;
using runtime::Placement;
using Kind = Placement::Kind;

runtime::ClientPtr open() { return interpreter::open_client(parse_tpu_kind("v3-8")); }

TEST(InterpreterClient, PlacesArrays) {
  const auto client = open();
  EXPECT_EQ(client->platform(), "interpreter");
  EXPECT_EQ(client->cores(), 8);
  const auto sharded =
      client->from_host(counting({16, 2}), {Kind::sharded, Sharding::along(0, 2, 8), 0});
  EXPECT_EQ(sharded->core_literal(7), Literal::of<float>({{28, 29}, {30, 31}}));
  EXPECT_EQ(sharded->type().shape, (Shape{16, 2}));
  EXPECT_EQ(client->memory_in_use(3), 16);
  const auto per_core = client->from_host(counting({8, 2}), {Kind::per_core, {}, 0});
  EXPECT_EQ(per_core->type().shape, (Shape{2}));
  EXPECT_EQ(per_core->core_literal(1), Literal::of<float>({2, 3}));
  EXPECT_THROW(client->from_host(counting({7, 2}), {Kind::per_core, {}, 0}), InvalidArgument);
  EXPECT_THROW(client->from_host(Literal::scalar("text")), InvalidArgument);
  EXPECT_THROW(client->from_host(counting({9}), {Kind::sharded, Sharding::along(0, 1, 8), 0}),
               InvalidArgument);
}

TEST(InterpreterClient, RunsGlobalProgramsWhole) {
  const auto client = open();
  Module module;
  module.num_partitions = 8;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {16}}, {.sharding = Sharding::along(0, 1, 8)});
  b.result(reduce_sum(x, {0}), {.sharding = Sharding{}});
  b.result(x + x, {.sharding = Sharding::along(0, 1, 8)});
  const auto program = client->compile(module);
  const auto results = program->execute(
      {client->from_host(counting({16}), {Kind::sharded, Sharding::along(0, 1, 8), 0})});
  EXPECT_EQ(results[0]->to_literal().item<float>(), 120);
  EXPECT_EQ(results[1]->placement().kind, Kind::sharded);
  EXPECT_EQ(results[1]->core_literal(1), Literal::of<float>({4, 6}));
}

TEST(InterpreterClient, RunsPerCoreProgramsOnEveryCore) {
  const auto client = open();
  Module module;
  module.num_replicas = 8;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value w = b.argument({DType::f32, {}}, {.uniform = true});
  const Value x = b.argument({DType::f32, {}});
  b.result(w * x);
  b.result(all_reduce(x, OpCode::add), {.uniform = true});
  const auto results =
      client->compile(module)->execute({client->from_host(Literal::scalar(2.0f)),
                                        client->from_host(counting({8}), {Kind::per_core, {}, 0})});
  EXPECT_EQ(results[0]->to_literal(), Literal::of<float>({0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(results[1]->placement().kind, Kind::replicated);
  EXPECT_EQ(results[1]->to_literal().item<float>(), 28);
}

TEST(InterpreterClient, ResetDeletesBuffers) {
  const auto client = open();
  const auto x = client->from_host(counting({4}));
  client->reset();
  EXPECT_TRUE(x->deleted());
  EXPECT_THROW(x->to_literal(), FailedPrecondition);
  EXPECT_EQ(client->memory_in_use(0), 0);
}

TEST(InterpreterClient, RefusesWhatDoesNotFit) {
  const auto client = open();
  Module module;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.result(b.argument({DType::f32, {1 << 20, 1 << 14}}));
  EXPECT_THROW(client->compile(module), ResourceExhausted);
  module.num_replicas = 3;
  EXPECT_THROW(client->compile(module), InvalidArgument);
  EXPECT_THROW(interpreter::open_client(parse_tpu_kind("v3-8"), 9), InvalidArgument);
}

}  // namespace
}  // namespace systolic
