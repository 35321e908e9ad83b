// Global programs (num_partitions > 1), from the sharded buffers to the shards of the results.
#include <gtest/gtest.h>

#include "backends/cpu/client.h"
#include "backends/interpreter/client.h"
#include "systolic/base/error.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;
using runtime::BufferPtr;
using runtime::Placement;

constexpr int64_t cores = 4;

// y = tanh(x · w) by a function that is called twice, and the mean of y; the rows of x over the
// cores. The weights are donated: w' = w - y's column sums.
ir::Module layers(int64_t partitions) {
  ir::Module module;
  module.num_partitions = partitions;
  module.functions.resize(2);
  const auto rows = [&](int rank) {
    return partitions > 1 ? std::optional(ir::Sharding::along(0, rank, partitions)) : std::nullopt;
  };
  {
    ir::Function& layer = module.functions[1];
    layer.name = "layer";
    Builder b(layer, &module);
    const Value x = b.argument({DType::f32, {16, 5}}), w = b.argument({DType::f32, {5, 5}});
    b.result(ir::unary(OpCode::tanh, ir::dot(x, w)));
  }
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {16, 5}}, {.name = "x", .sharding = rows(2)});
  const Value w = b.argument({DType::f32, {5, 5}}, {.name = "w", .aliases_result = 2});
  const Value y = b.append_one(OpCode::call, {x, w}, ir::CallAttributes{"layer"});
  const Value z = b.append_one(OpCode::call, {y, w}, ir::CallAttributes{"layer"});
  b.result(z, {.sharding = rows(2)});
  b.result(ir::reduce_sum(z, {0, 1}));
  b.result(w - ir::broadcast_in_dim(ir::reduce_sum(z, {0}), {5, 5}, {1}));
  return module;
}

std::vector<BufferPtr> run(runtime::Client& client, int64_t partitions) {
  Placement placement;
  if (partitions > 1) {
    placement = {.kind = Placement::Kind::sharded,
                 .sharding = ir::Sharding::along(0, 2, partitions)};
  }
  const Literal x = random_literal(DType::f32, {16, 5}, 1),
                w = random_literal(DType::f32, {5, 5}, 2);
  return client.compile(layers(partitions))
      ->execute({client.from_host(x, placement), client.from_host(w)});
}

void expect_near(const Literal& got, const Literal& wanted) {
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got.number_at(i), wanted.number_at(i), 1e-5) << i;
  }
}

TEST(GlobalProgram, GivesWhatOneCoreGivesInShards) {
  const runtime::ClientPtr many = cpu::open_software_tpu("v3-8", cores);
  const runtime::ClientPtr one = cpu::open_software_tpu("v3-8", 1);
  const runtime::ClientPtr slow = interpreter::open_client(parse_tpu_kind("v3-8"), cores);
  const auto got = run(*many, cores), alone = run(*one, 1), wanted = run(*slow, cores);
  ASSERT_EQ(got.size(), 3u);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i]->to_literal(), alone[i]->to_literal()) << i;  // to the bit
    expect_near(got[i]->to_literal(), wanted[i]->to_literal());
    EXPECT_EQ(got[i]->placement(), wanted[i]->placement()) << i;
    for (int core = 0; core < cores; ++core) {
      expect_near(got[i]->core_literal(core), wanted[i]->core_literal(core));
    }
  }
  EXPECT_EQ(got[0]->placement().kind, Placement::Kind::sharded);
  EXPECT_EQ(got[0]->core_literal(3).shape(), Shape({4, 5}));
  EXPECT_EQ(got[0]->core_literal(3).number_at(0), got[0]->to_literal().number_at(12 * 5));
  EXPECT_EQ(got[1]->placement().kind, Placement::Kind::replicated);
}

// Tiles by core, as {devices=[2,2,2]<=[8] last_tile_dim_replicate} deals them.
TEST(ShardedBuffer, HoldsTheTileOfItsCore) {
  const Placement tiles{.kind = Placement::Kind::sharded, .sharding = {{2, 2}}};
  const Placement uneven{.kind = Placement::Kind::sharded, .sharding = {{4, 1}}};
  const Literal x = random_literal(DType::f32, {4, 6}, 1);
  for (const runtime::ClientPtr& client :
       {cpu::open_software_tpu("v3-8", 8), interpreter::open_client(parse_tpu_kind("v3-8"), 8)}) {
    SCOPED_TRACE(client->platform());
    const BufferPtr buffer = client->from_host(x, tiles);
    EXPECT_EQ(buffer->to_literal(), x);
    for (int core = 0; core < 8; ++core) {
      const int64_t tile = core / 2, row = tile / 2 * 2, column = tile % 2 * 3;
      const Literal part = buffer->core_literal(core);
      ASSERT_EQ(part.shape(), Shape({2, 3}));
      for (int64_t i = 0; i < 6; ++i) {
        EXPECT_EQ(part.number_at(i), x.number_at((row + i / 3) * 6 + column + i % 3)) << core;
      }
      EXPECT_EQ(client->memory_in_use(core), 6 * 4);
    }
    EXPECT_THROW(client->from_host(random_literal(DType::f32, {6, 5}, 1), uneven), InvalidArgument);
    EXPECT_THROW(client->from_host(random_literal(DType::f32, {8}, 1), uneven), InvalidArgument);
  }
}

TEST(GlobalProgram, IsForAllCoresOfTheClient) {
  EXPECT_THROW(cpu::open_software_tpu("v3-8", 8)->compile(layers(cores)), InvalidArgument);
  EXPECT_THROW(interpreter::open_client(parse_tpu_kind("v3-8"), 8)->compile(layers(cores)),
               InvalidArgument);
}

}  // namespace
}  // namespace systolic
