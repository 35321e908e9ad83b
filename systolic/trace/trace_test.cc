#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/trace/compile_cache.h"
#include "systolic/trace/device.h"
#include "systolic/trace/function.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

std::vector<float> values(const Tensor& tensor) {
  const Literal literal = tensor.literal();
  const auto data = literal.data<float>();
  return {data.begin(), data.end()};
}

TEST(Eager, MatmulPrintsAsTheGuideShows) {
  const Tensor a = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  std::ostringstream out;
  out << matmul(a, b);
  EXPECT_EQ(out.str(), "Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)");
}

TEST(Eager, ATensorNamesItsCore) {
  EXPECT_EQ(constant(1.f).device(), "/job:worker/replica:0/task:0/device:TPU:0");
  EXPECT_NE(message_of<InvalidArgument>([] {
              device("/TPU:99", [] { return constant(1.f) + 1; });
            }).find("there is no device '/TPU:99', expected /TPU:0 to /TPU:"),
            std::string::npos);
}

TEST(Eager, BroadcastsAndTakesNumbers) {
  const Tensor a = constant({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_EQ(values(2 * a + constant({10.f, 20.f})), (std::vector<float>{12, 24, 16, 28}));
  EXPECT_EQ(values(a - 1), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_TRUE(static_cast<bool>(all(a > 0)));
}

TEST(Eager, ANewNumberIsNotANewProgram) {
  const Tensor a = constant({1.f, 2.f});
  values(a * 0.123);
  const int64_t before = CompileCache::of_process().compilations();
  EXPECT_EQ(values(a * 0.25f)[1], 0.5f);
  values(a * 0.456);
  values(a * 0.789);
  EXPECT_LE(CompileCache::of_process().compilations() - before, 1);
}

TEST(Eager, WrongShapesNameBothAndTheLine) {
  const std::string message = message_of<InvalidArgument>([] {
    return constant({1.f, 2.f}) + constant({1.f, 2.f, 3.f});
  });
  EXPECT_NE(message.find("(2,) and (3,)"), std::string::npos) << message;
  EXPECT_NE(message.find("trace_test.cc:"), std::string::npos) << message;
}

TEST(Eager, MixedTypesShowTheCast) {
  const std::string message =
      message_of<InvalidArgument>([] { return constant({1.f}) + constant({1}); });
  EXPECT_NE(message.find("cast(x, DType::f32)"), std::string::npos) << message;
}

TEST(Indexing, FollowsPython) {
  const Tensor x = reshape(cast(range(24), DType::f32), {2, 3, 4});
  struct Case {
    Tensor got;
    Shape shape;
    std::vector<float> wanted;
  };
  const Case cases[] = {
      {x[1][2][3], {}, {23}},
      {x[{0, 1}], {4}, {4, 5, 6, 7}},
      {x[{ellipsis, -1}], {2, 3}, {3, 7, 11, 15, 19, 23}},
      {x[{1, all, 0}], {3}, {12, 16, 20}},
      {x[{0, 0, Slice{.begin = 1, .end = 3}}], {2}, {1, 2}},
      {x[{0, 0, Slice{.step = -2}}], {2}, {3, 1}},
      {x[{0, 0, Slice{.begin = -3}}], {3}, {1, 2, 3}},
      {x[{0, new_axis, 0}], {1, 4}, {0, 1, 2, 3}},
      {x[{constant(1), constant(-1)}], {4}, {20, 21, 22, 23}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(c.got.shape(), c.shape);
    EXPECT_EQ(values(c.got), c.wanted);
  }
}

TEST(Indexing, AMaskShowsTheRecipe) {
  const Tensor x = constant({1.f, 2.f});
  const std::string message = message_of<InvalidArgument>([&] { return x[x > 0]; });
  EXPECT_NE(message.find("where(mask, x, 0)"), std::string::npos) << message;
}

TEST(Variables, AreUpdatedInOrder) {
  Variable v(constant(1.f), {.name = "v"});
  v.assign_add(2);
  const Tensor before = v.value();
  v.assign(v.value() * 10);
  EXPECT_EQ(before.item<float>(), 3);
  EXPECT_EQ(v.item<float>(), 30);
  v.set(Literal::scalar(7.f));
  EXPECT_EQ((v + 1).item<float>(), 8);
}

TEST(Tape, SumsOverTheReadsOfAVariable) {
  Variable w(constant(3.f));
  GradientTape tape;
  const Tensor y = w * w + 2 * w;
  EXPECT_EQ(tape.gradient(y, w).item<float>(), 8);
}

TEST(Tape, CountsTheVersionThatWasRead) {
  Variable w(constant(3.f));
  GradientTape tape;
  const Tensor first = square(w);  // of 3
  w.assign(w.value() * 10);
  const Tensor second = square(w);  // of 30, a read of its own
  EXPECT_EQ(tape.gradient(first + second, w).item<float>(), 6 + 60);
}

TEST(Tape, SurvivesReadingAValue) {
  const Tensor x = constant(2.f);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x * x;
  EXPECT_EQ(y.item<float>(), 4);
  const Tensor z = y * y;
  EXPECT_EQ(tape.gradient(z, x).item<float>(), 32);
}

TEST(Tape, WhatLiesOutsideIsConstant) {
  const Tensor x = constant(2.f);
  const Tensor before = x * x;
  GradientTape tape;
  tape.watch(x);
  Tensor paused;
  tape.stop_recording([&] { paused = x * 100; });
  EXPECT_EQ(tape.gradient(before + paused + 5 * x + stop_gradient(x), x).item<float>(), 5);
}

TEST(Tape, Nests) {
  const Tensor x = constant(3.f);
  GradientTape outer;
  outer.watch(x);
  Tensor first;
  {
    GradientTape inner;
    inner.watch(x);
    first = inner.gradient(x * x * x, x);
  }
  EXPECT_EQ(first.item<float>(), 27);
  EXPECT_EQ(outer.gradient(first, x).item<float>(), 18);
}

TEST(Tape, ASecondGradientWantsAPersistentTape) {
  const Tensor x = constant(3.f);
  GradientTape once;
  once.watch(x);
  const Tensor y = x * x;
  once.gradient(y, x);
  EXPECT_THROW(once.gradient(y, x), FailedPrecondition);
}

TEST(Tape, OnAnotherThreadIsAnError) {
  GradientTape tape;
  std::string message;
  std::thread([&] {
    message = message_of<FailedPrecondition>([&] { tape.gradient(constant(1.f), constant(1.f)); });
  }).join();
  EXPECT_NE(message.find("another thread"), std::string::npos) << message;
}

TEST(Threads, ATensorThatWaitsElsewhereSaysWhatToDo) {
  const Tensor waiting = constant(2.f) * 3;
  std::string message;
  std::thread([&] {
    message = message_of<FailedPrecondition>([&] { (waiting + 1).item<float>(); });
  }).join();
  EXPECT_NE(message.find("another thread"), std::string::npos) << message;
  EXPECT_NE(message.find("literal()"), std::string::npos) << message;
  EXPECT_EQ((waiting + 1).item<float>(), 7);  // here it is as it was
}

TEST(Threads, ATensorOfAFunctionIsOfNoUseElsewhere) {
  std::string message;
  auto f = function([&](const Tensor& x) {
    const Tensor inside = x * 2;
    std::thread([&] {
      message = message_of<FailedPrecondition>([&] { (inside + 1).item<float>(); });
    }).join();
    return inside;
  });
  EXPECT_EQ(f(constant(2.f)).item<float>(), 4);
  EXPECT_NE(message.find("function"), std::string::npos) << message;
}

TEST(Function, TracesOncePerSignature) {
  int runs = 0;
  auto f = function([&](const Tensor& x, int factor) {
    ++runs;
    return x * factor;
  });
  EXPECT_EQ(f(constant(2.f), 3).item<float>(), 6);
  EXPECT_EQ(f(constant(5.f), 3).item<float>(), 15);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(f(constant(5.f), 4).item<float>(), 20);
  EXPECT_EQ(f(constant({1.f, 2.f}), 4).shape(), Shape{2});
  EXPECT_EQ(runs, 3);
}

struct Rate {
  double value = 0;
  friend auto trace_key(const Rate& rate) { return rate.value; }
};

// Every row: two arguments that must not be taken for one another, and the first once more.
template <class T>
void expect_told_apart(T first, const T& second, const char* what) {
  auto f = function([](const Tensor& x, const T&) { return x; });
  const Tensor x = constant(1.f);
  T argument = first;  // at one address
  f(x, argument);
  argument = second;
  f(x, argument);
  EXPECT_EQ(f.traces(), 2u) << what;
  argument = first;
  f(x, argument);
  f(x, first);
  EXPECT_EQ(f.traces(), 2u) << what;
}

TEST(Function, TellsArgumentsByTheirValues) {
  expect_told_apart<std::vector<int64_t>>({1}, {2}, "vector");
  expect_told_apart<std::vector<std::vector<int>>>({{1}, {2}}, {{1, 2}}, "nested vector");
  expect_told_apart<std::vector<bool>>({true}, {false}, "vector of bool");
  expect_told_apart<std::array<double, 2>>({1, 2}, {1, 3}, "array");
  expect_told_apart<std::optional<int>>({}, 0, "optional");
  expect_told_apart<std::map<std::string, int>>({{"a", 1}}, {{"b", 1}}, "map");
  expect_told_apart<std::pair<std::string, std::string>>({"a;", "b"}, {"a", ";b"}, "texts");
  expect_told_apart<Shape>({2, 3}, {3, 2}, "Shape");
  expect_told_apart<DType>(DType::f32, DType::bf16, "enum");
  expect_told_apart<double>(0.5, 0.25, "number");
  expect_told_apart<Literal>(Literal::of<float>({1}), Literal::of<float>({2}), "Literal");
  expect_told_apart<std::pair<Tensor, int>>({constant(1.f), 1}, {constant(1.f), 2}, "tree");
  expect_told_apart<Rate>({0.5}, {0.25}, "a struct with trace_key");
  expect_told_apart<std::shared_ptr<int>>(std::make_shared<int>(1), std::make_shared<int>(1),
                                          "shared_ptr");
  expect_told_apart<Variable>(Variable(constant(1.f)), Variable(constant(1.f)), "Variable");
}

TEST(Function, TellsArgumentsByTheirTypes) {
  auto f = function([](const Tensor& x, auto by) { return x * by; });
  EXPECT_EQ(f(constant(1.f), true).item<float>(), 1);
  EXPECT_EQ(f(constant(1.f), 'a').item<float>(), 97);
  f(constant(1.f), int8_t{97});
  EXPECT_EQ(f.traces(), 3u);
}

TEST(Function, IsTracedOnceByManyThreads) {
  auto f = function([](const Tensor& x, int by) { return std::pair(x * by, by); });
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int by = 1; by < 20; ++by) {
        const auto [product, factor] = f(constant(2.f), by);
        if (product.item<float>() != 2.f * static_cast<float>(by) || factor != by) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.traces(), 19u);
}

TEST(Function, UpdatesVariablesAndReturnsTrees) {
  Variable total(constant(0.f), {.name = "total"});
  auto add_up = function([&](const std::vector<Tensor>& xs) {
    for (const Tensor& x : xs) total.assign_add(x);
    return std::pair(total.value(), xs[0] * 2);
  });
  for (int i = 0; i < 3; ++i) {
    const auto [now, twice] = add_up(std::vector<Tensor>{constant(1.f), constant(2.f)});
    EXPECT_EQ(now.item<float>(), 3.f * static_cast<float>(i + 1));
    EXPECT_EQ(twice.item<float>(), 2);
  }
  EXPECT_EQ(total.item<float>(), 9);
}

TEST(Function, ReadingAValueInsideShowsWhatToDo) {
  auto f = function([](const Tensor& x) { return x > 0 ? x : -x; });
  const std::string message = message_of<FailedPrecondition>([&] { f(constant(1.f)); });
  EXPECT_NE(message.find("cond("), std::string::npos) << message;
}

TEST(Function, ReadingAVariableInsideIsTheSameError) {
  const Variable v(constant(1.f), {.name = "scale"});
  auto f = function([&](const Tensor& x) { return x * v.item<float>(); });
  const std::string message = message_of<FailedPrecondition>([&] { f(constant(1.f)); });
  EXPECT_NE(message.find("variable 'scale' is read while"), std::string::npos) << message;
  EXPECT_EQ(v.item<float>(), 1);
}

TEST(Eager, WrappedMemoryMayChangeAfterwards) {
  alignas(64) float frame[16] = {1};
  const Literal wrapped = Literal::wrap(DType::f32, {16}, frame, nullptr);
  const Tensor waiting(wrapped);
  const Variable variable(DType::f32, {16}, [&] { return wrapped; });
  const Tensor placed = waiting + 0;
  variable.literal();
  frame[0] = 2;
  EXPECT_EQ(values(waiting)[0], 1);
  EXPECT_EQ(values(placed)[0], 1);
  EXPECT_EQ(variable.literal().number_at(0), 1);
}

TEST(Function, ChangedCapturesAreFoundInDebugMode) {
  double rate = 0.5;
  auto f = function([&](const Tensor& x) { return x * rate; }, {.check_captures = true});
  f(constant(1.f));
  rate = 0.25;
  EXPECT_THROW(f(constant(1.f)), FailedPrecondition);
}

TEST(Function, ATapeInsideGivesGradients) {
  Variable w(constant(3.f));
  auto step = function([&](const Tensor& x) {
    GradientTape tape;
    const Tensor loss = square(w * x);
    w.assign_sub(0.1 * tape.gradient(loss, w));
    return loss;
  });
  EXPECT_FLOAT_EQ(step(constant(1.f)).item<float>(), 9);
  EXPECT_FLOAT_EQ(w.item<float>(), 3 - 0.6f);
}

TEST(ControlFlow, CondAssignsVariables) {
  Variable v(constant(1.f));
  auto f = function([&](const Tensor& x) {
    return cond(
        x > 0,
        [&] {
          v.assign_add(x);
          return x * 2;
        },
        [&] { return -x; });
  });
  EXPECT_EQ(f(constant(3.f)).item<float>(), 6);
  EXPECT_EQ(v.item<float>(), 4);
  EXPECT_EQ(f(constant(-3.f)).item<float>(), 3);
  EXPECT_EQ(v.item<float>(), 4);
}

TEST(ControlFlow, LoopsCarryVariablesAndKeepWhatWasReadBefore) {
  Variable v(constant(1.f));
  auto f = function([&](const Tensor& count) {
    const Tensor before = v.value();
    for_range(count, [&](const Tensor&) { v.assign_add(before); });
    return v.value();
  });
  EXPECT_EQ(f(constant(5)).item<float>(), 6);
  EXPECT_EQ(f(constant(2)).item<float>(), 18);
  EXPECT_EQ(f.traces(), 1u);
}

TEST(ControlFlow, MoreRoundsThanInt32CountsAreRefused) {
  const int64_t many = (int64_t{1} << 32) + 1;
  int rounds = 0;
  const auto count = [&](const Tensor&) { ++rounds; };
  expect_parts(error_of([&] { for_range(many, count); }),
               {"InvalidArgument", "for_range of 4294967297 rounds", "at most 2147483647"});
  const auto once = [&] {
    while_loop(
        {constant(0)}, [](const Tensors& s) { return s[0] < 1; },
        [](const Tensors& s) { return Tensors{s[0] + 1}; }, {.max_iterations = many});
  };
  expect_parts(error_of(once), {"while_loop of 4294967297 rounds"});
  EXPECT_EQ(rounds, 0);
}

TEST(ControlFlow, BoundedLoopsHaveGradients) {
  auto f = [](const Tensor& x) {
    return while_loop(
        {x, constant(0)}, [](const Tensors& s) { return s[1] < 3; },
        [&](const Tensors& s) {
          return Tensors{s[0] * x, s[1] + 1};
        },
        {.max_iterations = 5})[0];
  };
  EXPECT_FLOAT_EQ(grad(f)(constant(2.f)).item<float>(), 4 * 8);  // x^4
}

// v = v * x three times: the assignments stop the gradient, a tape inside the body has its own.
TEST(ControlFlow, CountedLoopsDifferentiateInsideTheirBody) {
  const Tensor x = constant(2.f);
  Variable v(constant(5.f)), slope(constant(0.f));
  GradientTape tape;
  tape.watch(x);
  for_range(3, [&](const Tensor&) {
    GradientTape inner;
    const Tensor product = v.value() * x * x;
    slope.assign_add(inner.gradient(product, v));
    v.assign(v.value() * x);
  });
  EXPECT_FLOAT_EQ(tape.gradient(v.value() * x, x).item<float>(), 40);  // v alone, as it stands
  EXPECT_FLOAT_EQ(v.item<float>(), 40);
  EXPECT_FLOAT_EQ(slope.item<float>(), 12);
}

TEST(Reductions, FollowNumPy) {
  const Tensor x = constant({{1.f, 5.f, 2.f}, {7.f, 0.f, 7.f}});
  EXPECT_EQ(values(sum(x, {.axes = {0}})), (std::vector<float>{8, 5, 9}));
  const std::vector<float> means = values(mean(x, {.axes = {-1}, .keepdims = true}));
  EXPECT_FLOAT_EQ(means[0], 8.f / 3);
  EXPECT_FLOAT_EQ(means[1], 14.f / 3);
  EXPECT_EQ(max(x).item<float>(), 7);
  EXPECT_EQ(argmax(x).literal(), (Literal::of<int32_t>({1, 0})));
  EXPECT_EQ(values(top_k(x, 2).values), (std::vector<float>{5, 2, 7, 7}));
  EXPECT_EQ(top_k(x, 2).indices.literal(), (Literal::of<int32_t>({{1, 2}, {0, 2}})));
  EXPECT_EQ(values(cumsum(x, 1)), (std::vector<float>{1, 6, 8, 7, 7, 14}));
  EXPECT_NEAR(logsumexp(constant({1000.f, 1000.f})).item<float>(), 1000 + std::log(2.0), 1e-3);
}

}  // namespace
}  // namespace systolic
