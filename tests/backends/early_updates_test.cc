// Updates of weights stand at the end of a program, and run after the products that they wait for.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "systolic/base/text.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

Value weights(Builder& b, int64_t in, int64_t out, int64_t result) {
  return b.argument({DType::f32, {in, out}}, {.name = str("w", result), .aliases_result = result});
}
Value tanh(Value x) { return ir::unary(OpCode::tanh, x); }
// x [rows, in], w [in, out] -> [rows, out]
Value times(Value x, Value w) { return ir::dot_general(x, w, {{}, {}, {1}, {0}}); }
// dy [rows, out], w [in, out] -> [rows, in]
Value times_turned(Value dy, Value w) { return ir::dot_general(dy, w, {{}, {}, {1}, {1}}); }
// x [rows, in], dy [rows, out] -> [in, out]
Value gradient(Value x, Value dy) { return ir::dot_general(x, dy, {{}, {}, {0}, {0}}); }
Value updated(Value w, Value gradient) { return w - gradient * 0.01; }

using Then = std::function<Value(Value)>;
using Update = std::function<Value(Value weights, Value gradient)>;

// One step of three layers of 96, 48, 32 and 16 numbers for 64 rows: all updates after all
// gradients. `then` is what the gradient of the first layer goes through.
std::vector<Value> trained(std::span<const Value> layers, Value x, const Then& then,
                           const Update& update = updated) {
  const Value y = tanh(times(x, layers[0])), z = tanh(times(y, layers[1]));
  const Value d_out = tanh(times(z, layers[2]));
  const Value of_third = gradient(z, d_out);
  const Value dz = tanh(times_turned(d_out, layers[2]));
  const Value of_second = gradient(y, dz);
  const Value dy = tanh(times_turned(dz, layers[1]));
  const Value of_first = then(gradient(x, dy));
  return {update(layers[0], of_first), update(layers[1], of_second), update(layers[2], of_third)};
}

std::vector<Value> three_weights(Builder& b) {
  return {weights(b, 96, 48, 0), weights(b, 48, 32, 1), weights(b, 32, 16, 2)};
}

ir::Module three_layers(const Then& then = std::identity{}) {
  return make_module([&](Builder& b) {
    const std::vector<Value> layers = three_weights(b);
    const Value x = b.argument({DType::f32, {64, 96}});
    for (Value layer : trained(layers, x, then)) b.result(layer);
  });
}

TEST(EarlyUpdates, AreThoseOfTheInterpreter) {
  expect_same(three_layers(), 8, "three layers", {.low = -0.2, .high = 0.2});
}

// Where the steps stand that a plan has for the gradients of the three layers.
struct Places {
  explicit Places(const ir::Module& module) : steps(plan_summary(2, module).text) {}
  size_t of(const std::string& step) const {
    const size_t found = steps.find(step);
    EXPECT_NE(found, std::string::npos) << step << " in\n" << steps;
    return found;
  }

  std::string steps;
};

TEST(EarlyUpdates, RunWhenTheirWeightsHaveBeenReadForTheLastTime) {
  const Places plan(three_layers());
  const size_t third = plan.of("dot [32,64] x [64,16] f32 fused(multiply subtract)");
  const size_t second = plan.of("dot [48,64] x [64,32] f32 fused(multiply subtract)");
  EXPECT_LT(plan.of("dot [64,16] x [16,32]"), third) << plan.steps;  // reads the third's weights
  EXPECT_LT(third, plan.of("dot [64,32] x [32,48]")) << plan.steps;  // reads the second's
  EXPECT_LT(plan.of("dot [64,32] x [32,48]"), second) << plan.steps;
}

// A learning rate that depends on the step is computed after all gradients, too.
TEST(EarlyUpdates, RunEarlyThoughTheyReadScalarsOfTheEnd) {
  const ir::Module module = make_module([](Builder& b) {
    const std::vector<Value> layers = three_weights(b);
    const Value x = b.argument({DType::f32, {64, 96}});
    const Value step = b.argument({DType::f32, {}}, {.name = "step", .aliases_result = 3});
    std::optional<Value> next;
    const auto update = [&](Value w, Value gradient) {
      if (!next) next = step + 1;
      const Value rate = 0.01 / (*next * *next + 1);
      return w - gradient * ir::broadcast_in_dim(rate, w.type().shape, {});
    };
    for (Value layer : trained(layers, x, std::identity{}, update)) b.result(layer);
    b.result(*next);
  });
  const Places plan(module);
  EXPECT_LT(plan.of("dot [32,64] x [64,16]"), plan.of("dot [64,32] x [32,48]")) << plan.steps;
  expect_same(module, 8, "scalars of the end", {.low = -0.2, .high = 0.2});
}

TEST(EarlyUpdates, TakeTheMemoryOfTheirWeights) {
  const Places plan(three_layers());
  EXPECT_EQ(plan.steps.find("copy result"), std::string::npos) << plan.steps;
}

// Weights in f32 and what the next step multiplies with, made by one kernel, whose last op is in
// bf16: it is the f32 that is donated, and that the layer below still reads.
TEST(EarlyUpdates, WaitForReadersOfWhateverIsDonated) {
  const ir::Module module = make_module([](Builder& b) {
    const Value first = weights(b, 96, 48, 0), second = weights(b, 48, 32, 1);
    const Value x = b.argument({DType::f32, {64, 96}});
    const Value y = tanh(times(x, first)), dz = tanh(times(y, second));
    const Value of_second = gradient(y, dz);
    const Value dy = tanh(times_turned(dz, second));
    b.result(updated(first, gradient(x, dy)));
    const Value new_second = updated(second, of_second);
    b.result(new_second);
    b.result(ir::convert(new_second, DType::bf16));
  });
  const Places plan(module);
  EXPECT_LT(plan.of("dot [64,32] x [32,48]"), plan.of("dot [48,64] x [64,32]")) << plan.steps;
  EXPECT_EQ(plan.steps.find("copy result"), std::string::npos) << plan.steps;
  expect_same(module, 8, "weights and their rounding", {.low = -0.2, .high = 0.2});
}

TEST(EarlyUpdates, RunInLoops) {
  const ir::Module module = make_module([](Builder& b) {
    std::vector<Value> carried = three_weights(b);
    const Value x = b.argument({DType::f32, {64, 96}});
    carried.push_back(b.constant(Literal::scalar(int32_t{0})));
    const std::vector<Value> after = ir::while_loop(
        carried,
        [&](std::span<const Value> now) { return ir::compare(now[3], 3, ir::Direction::lt); },
        [&](std::span<const Value> now) {
          std::vector<Value> next = trained(now.first(3), x, std::identity{});
          next.push_back(now[3] + 1);
          return next;
        });
    for (size_t i = 0; i < 3; ++i) b.result(after[i]);
  });
  const Places plan(module);
  EXPECT_LT(plan.of("dot [32,64] x [64,16]"), plan.of("dot [64,32] x [32,48]")) << plan.steps;
  EXPECT_EQ(plan.steps.find("carry f32"), std::string::npos) << plan.steps;
  expect_same(module, 24, "three steps", {.low = -0.2, .high = 0.2});
}

// A gradient whose other factor may yet begin a chain, so that the update waits for its end.
Value updated_after_a_chain(Builder& b) {
  const Value w = weights(b, 1000, 64, 0);
  const Value x = b.argument({DType::f32, {64, 1000}}), u = b.argument({DType::f32, {64, 64}});
  return updated(w, gradient(x, tanh(u)));
}

// A branch reads its selector when it is chosen, after the update, whose scratch is not there.
TEST(EarlyUpdates, RunBeforeTheBranchBehindThem) {
  for (int32_t step : {0, 4, 8}) {
    const ir::Module module = make_module([&](Builder& b) {
      const Value count = b.argument({DType::i32, {}}), y = b.argument({DType::f32, {8}});
      const Value third = ir::binary(OpCode::remainder, count, b.filled_like(count, 3));
      b.result(updated_after_a_chain(b));
      const std::vector<std::function<std::vector<Value>()>> branches{
          [&] { return std::vector<Value>{y * 2}; }, [&] { return std::vector<Value>{y - 1}; },
          [&] { return std::vector<Value>{y + 5}; }};
      b.result(ir::switch_case(third, branches)[0]);
    });
    expect_same(
        module,
        {Literal::scalar(step), random_literal(DType::f32, {8}, 1),
         random_literal(DType::f32, {1000, 64}, 2), random_literal(DType::f32, {64, 1000}, 3),
         random_literal(DType::f32, {64, 64}, 4)},
        64, str("step ", step));
  }
}

// Else the weights would be read in the loop's every round, for all that the plan knows.
TEST(EarlyUpdates, RunBeforeTheLoopBehindThem) {
  const ir::Module module = make_module([](Builder& b) {
    b.result(updated_after_a_chain(b));
    const Value none = b.constant(Literal(DType::f32, Shape{0}));
    const Value y = b.argument({DType::f32, {8}});
    b.result(ir::while_loop(
        std::vector<Value>{none},
        [&](std::span<const Value>) { return b.constant(Literal::scalar(false)); },
        [&](std::span<const Value> now) { return std::vector<Value>{now[0] * 2.0}; })[0]);
    b.result(y);
  });
  const Places plan(module);
  EXPECT_LT(plan.of("fused(multiply subtract)"), plan.of("while")) << plan.steps;
  EXPECT_EQ(plan.steps.find("copy result f32[1000,64]"), std::string::npos) << plan.steps;
}

// Scores with a bias that all heads share; its update comes between them and the values.
TEST(EarlyUpdates, LeaveChainsWhole) {
  const ir::Module module = make_module([](Builder& b) {
    const Value bias = weights(b, 64, 64, 0);
    const Value x = b.argument({DType::f32, {32, 64}}), dy = b.argument({DType::f32, {32, 64}});
    const Value q = b.argument({DType::f32, {64, 64, 32}}),
                k = b.argument({DType::f32, {64, 32, 64}}),
                v = b.argument({DType::f32, {64, 64, 32}});
    const Value of_bias = gradient(x, dy);
    const Value scores = ir::dot_general(q, k, {{0}, {0}, {2}, {1}});
    const Value weighed = tanh(scores + ir::broadcast_in_dim(bias, {64, 64, 64}, {1, 2}));
    b.result(updated(bias, of_bias));
    b.result(ir::dot_general(weighed, v, {{0}, {0}, {2}, {1}}));
  });
  const Places plan(module);
  EXPECT_LT(plan.of("and 2 more in 64 parts"), plan.of("fused(multiply subtract)")) << plan.steps;
  expect_same(module, 32, "a chain and an update", {.low = -0.2, .high = 0.2});
}

// Where cores are lost that others wait for, weights stay as they were.
TEST(EarlyUpdates, WaitForWhatCanFail) {
  const Places plan(three_layers([](Value x) { return ir::all_reduce(x, OpCode::add); }));
  const size_t reduced = plan.of("dot [96,64] x [64,48]");  // no step on the one core
  EXPECT_LT(reduced, plan.of("dot [32,64] x [64,16]")) << plan.steps;
  EXPECT_LT(reduced, plan.of("dot [48,64] x [64,32]")) << plan.steps;
}

}  // namespace
}  // namespace systolic
