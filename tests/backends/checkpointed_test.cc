// Blocks that are computed again for their gradients (autodiff/recompute.cc), as the software TPU
// plans and runs them: the same numbers, in less memory.
#include <gtest/gtest.h>

#include <vector>

#include "systolic/autodiff/gradient.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

constexpr int64_t texts = 256, narrow = 64, wide = 256, layers = 8;

// A dense network of two layers, added to what comes in; its insides are four times as wide.
Value wide_block(Value x, Value up, Value down) {
  const Value inside = ir::unary(OpCode::tanh, ir::dot(x, up));
  return x + ir::dot(inside * inside, down);
}

// One step of gradient descent of the sum of squares of what the blocks make of x.
ir::Module step_of_blocks(bool again) {
  return make_module([&](Builder& b) {
    Value x = b.argument({DType::f32, {texts, narrow}});
    std::vector<Value> weights;
    for (int64_t i = 0; i < layers; ++i) {
      for (const Shape& shape : {Shape{narrow, wide}, Shape{wide, narrow}}) {
        const auto place = static_cast<int64_t>(weights.size());
        weights.push_back(b.argument({DType::f32, shape}, {.aliases_result = place}));
      }
    }
    std::vector<autodiff::GradientRequest::Interval> marks;
    for (size_t i = 0; i < weights.size(); i += 2) {
      const size_t begin = b.block().ops.size();
      x = wide_block(x, weights[i], weights[i + 1]);
      if (again) marks.push_back({begin, b.block().ops.size()});
    }
    const ir::ValueId loss[] = {ir::reduce_sum(x * x, {0, 1}).id()};
    std::vector<ir::ValueId> sources;
    for (const Value weight : weights) sources.push_back(weight.id());
    const auto gradients =
        autodiff::gradient(b, {.outputs = loss, .sources = sources, .recomputed = marks});
    for (size_t i = 0; i < weights.size(); ++i) b.result(weights[i] - b.value(gradients[i]) * 1e-3);
  });
}

TEST(Checkpointed, NumbersAreTheSameToTheBit) {
  for (const int threads : {1, 4}) {
    const std::vector<Literal> got = run_with(threads, step_of_blocks(true));
    const std::vector<Literal> wanted = run_with(threads, step_of_blocks(false));
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(same_bits(got[i], wanted[i])) << threads << " threads, weight " << i;
  }
}

// What enters each block waits for its gradient, and the insides of one block at a time: its tanh,
// what is made of it, and their gradients.
TEST(Checkpointed, OfEachBlockOnlyWhatEntersItWaits) {
  constexpr int64_t entering = texts * narrow * 4, insides = texts * wide * 4;
  const int64_t again = plan_summary(2, step_of_blocks(true)).arena_bytes;
  const int64_t kept = plan_summary(2, step_of_blocks(false)).arena_bytes;
  EXPECT_GE(kept, layers * (entering + insides));
  EXPECT_LE(again, layers * entering + 4 * insides + 4 * entering);
}

}  // namespace
}  // namespace systolic
