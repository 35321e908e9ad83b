// Updates of weights stand at the end of a program, and run behind the products that they wait for.
#include <gtest/gtest.h>

#include <functional>
#include <string>

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

// Three layers of 96, 48, 32 and 16 numbers for 64 rows, and all updates behind all gradients.
// `behind` is what the gradient of the first layer goes through.
ir::Module three_layers(const std::function<Value(Value)>& behind = std::identity{}) {
  return make_module([&](Builder& b) {
    const Value first = weights(b, 96, 48, 0), second = weights(b, 48, 32, 1),
                third = weights(b, 32, 16, 2);
    const Value x = b.argument({DType::f32, {64, 96}});
    const Value y = tanh(times(x, first)), z = tanh(times(y, second));
    const Value d_out = tanh(times(z, third));
    const Value of_third = gradient(z, d_out);
    const Value dz = tanh(times_turned(d_out, third));
    const Value of_second = gradient(y, dz);
    const Value dy = tanh(times_turned(dz, second));
    const Value of_first = behind(gradient(x, dy));
    b.result(updated(first, of_first));
    b.result(updated(second, of_second));
    b.result(updated(third, of_third));
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
