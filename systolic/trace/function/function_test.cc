#include "systolic/trace/function/function.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

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

}  // namespace
}  // namespace systolic
