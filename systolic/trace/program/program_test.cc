#include "systolic/trace/program/program.h"

#include <gtest/gtest.h>

#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

using runtime::Placement;

constexpr int64_t cores = 8;

class OnEightCores : public ::testing::Test {
 protected:
  OnEightCores() { set_default_client(runtime::open_client({.tpu = "v3-8", .cores = cores})); }
  ~OnEightCores() override { set_default_client(nullptr); }
};

// One gradient step of a linear model over a batch that the cores share: the global form, in which
// sums over the batch are sums over all cores.
TEST_F(OnEightCores, AGlobalProgramUpdatesReplicatedVariablesFromAShardedBatch) {
  Variable w(constant({{1.f}, {2.f}}), {.name = "w"});
  const ir::Sharding rows = ir::Sharding::along(0, 2, cores);
  Program step({{.type = {DType::f32, {16, 2}}, .parameter = {.name = "x", .sharding = rows}}},
               [&](const std::vector<Tensor>& given) {
                 const Tensor y = matmul(given[0], w);
                 w.assign_sub(matmul(transpose(given[0]), y) * 0.01);
                 return std::vector<Tensor>{mean(square(y)), y};
               },
               {.name = "global_step", .partitions = cores});
  Literal x(DType::f32, {16, 2});
  for (size_t i = 0; i < 32; ++i) x.mutable_data<float>()[i] = static_cast<float>(i % 5) - 2;
  double loss = 0, gradient[2] = {0, 0};
  for (size_t i = 0; i < 16; ++i) {
    const float *row = &x.data<float>()[2 * i], y = row[0] + 2 * row[1];
    loss += y * y / 16.0;
    for (size_t k = 0; k < 2; ++k) gradient[k] += row[k] * y;
  }
  const auto on_cores = [&] {
    return default_client()->from_host(x, {.kind = Placement::Kind::sharded, .sharding = rows});
  };
  const auto batch = on_cores();
  const auto results = step.run({batch});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_NEAR(results[0]->to_literal().item<float>(), loss, 1e-5);
  EXPECT_EQ(results[1]->to_literal().shape(), Shape({16, 1}));
  EXPECT_NEAR(w.literal().number_at(0), 1 - 0.01 * gradient[0], 1e-5);
  EXPECT_NEAR(w.literal().number_at(1), 2 - 0.01 * gradient[1], 1e-5);
  // The batch is split; the weights and the two results are whole on each core.
  EXPECT_EQ(default_client()->memory_in_use(3), 4 * (16 * 2 / cores + 2 + 1 + 16));
  const auto again = step.run({on_cores()});
  EXPECT_LT(again[0]->to_literal().item<float>(), loss);
}

}  // namespace
}  // namespace systolic
