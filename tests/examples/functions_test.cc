// Functions that become programs, their arguments, and what cores of a strategy share.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

TEST(FunctionExamples, Options) {
  const FunctionOptions strict{.name = "twice", .strict_shapes = true};
  const auto twice = function([](const Tensor& x) { return 2 * x; }, strict);
  expect_numbers(twice(constant({1.f, 2.f})), {2, 4});
  EXPECT_THROW(twice(constant({1.f, 2.f, 3.f})), FailedPrecondition);
  EXPECT_FALSE(functions_run_eagerly());
  EXPECT_FALSE(strict_shapes());
}

TEST(FunctionExamples, TensorsInsideOtherTypes) {
  using Pair = std::pair<Tensor, std::vector<Tensor>>;
  static_assert(TensorTree<Pair> && HoldsTensors<Pair>::value && !TensorTree<int>);
  static_assert(AxisNumber<int> && !AxisNumber<bool>);
  Pair tree{constant(1.f), {constant(2.f), constant(3.f)}};
  std::vector<double> seen;
  visit_tensors(tree, [&](const Tensor& x) { seen.push_back(x.item<float>()); });
  EXPECT_EQ(seen, (std::vector<double>{1, 2, 3}));
  replace_tensors(tree, {constant(7.f), constant(8.f), constant(9.f)});
  expect_numbers(tree.second[1], {9});
}

TEST(FunctionExamples, WhatTellsCallsApart) {
  TraceKey one, other;
  one.add(std::string("train"));
  other.add(std::string("test"));
  EXPECT_FALSE(one == other);
  const ArgumentNote note = note_of(std::string("train"));
  EXPECT_EQ(note.text, "\"train\"");
  EXPECT_FALSE(note.is_tensor);
}

TEST(ReplicaExamples, WithoutAStrategyThereIsOneCore) {
  const ReplicaContext& here = replica_context();
  EXPECT_EQ(here.replicas, 1);
  EXPECT_FALSE(here.per_core);
  expect_numbers(all_reduce_mean(constant({2.f})), {2});
  expect_numbers(all_reduce_max(constant({2.f})), {2});
  {
    const ReplicaContextScope scope(ReplicaContext{.replicas = 4});
    EXPECT_EQ(replica_context().replicas, 4);
  }
  EXPECT_EQ(replica_context().replicas, 1);
  static_assert(std::is_same_v<MadeInScope<Tensor>::type, Tensor>);
  const ClusterOptions four{.cores = 4};
  EXPECT_EQ(TPUClusterResolver("v3-8", four).kind(), "v3-8");
}

}  // namespace
}  // namespace systolic
