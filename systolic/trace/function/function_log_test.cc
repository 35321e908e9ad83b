// What is logged where a function is compiled again, and functions on several threads.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/function/retrace.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

template <class Body>
std::string logged_by(const Body& body) {
  const CaughtLog log;
  body();
  return log.lines();
}

TEST(Retrace, NamesTheArgumentTheShapesBothLinesAndTheCount) {
  const int made = __LINE__ + 2;  // where its last argument ends
  auto f =
      function([](const Tensor& x, const Tensor& y) { return std::pair(x, y); }, {.name = "step"});
  const Tensor a = zeros({2, 3});
  EXPECT_EQ(logged_by([&] { f(a, zeros({2, 32})); }), "");
  const int called = __LINE__ + 1;
  const std::string second = logged_by([&] { f(a, zeros({2, 37})); });
  for (const std::string& part :
       {str("function 'step' (made at ", __FILE__, ":", made, ")"),
        str("is compiled again at ", __FILE__, ":", called, ", 2 programs so far"),
        std::string("argument 1 was f32[2,32], is f32[2,37]"), std::string("multiple of 32 or 64")})
    EXPECT_NE(second.find(part), std::string::npos) << part << " in:\n" << second;
  EXPECT_EQ(logged_by([&] { f(a, zeros({2, 37})), f(a, zeros({2, 32})); }), "");
  const std::string third = logged_by([&] { f(zeros({2, 3}, DType::i32), zeros({2, 37})); });
  EXPECT_NE(third.find("3 programs so far: argument 0 was f32[2,3], is i32[2,3]."),
            std::string::npos)
      << third;
}

// What is said of the second call, for calls that differ from the first in one thing or several.
TEST(Retrace, NamesEachChange) {
  const auto make = [] {
    return function(
        [](const auto&... arguments) { return constant(static_cast<int>(sizeof...(arguments))); });
  };
  using Counter = decltype(make());
  const Tensor a = zeros({2}), b = zeros({3});
  struct Row {
    std::function<void(Counter&)> first, second;
    std::string said;
  };
  const Row table[] = {
      {[&](auto& f) { f(a, a); }, [&](auto& f) { f(b, b); },
       "argument 0 was f32[2], is f32[3]; argument 1 was f32[2], is f32[3]"},
      {[&](auto& f) { f(1.5); }, [&](auto& f) { f(0.1); }, "argument 0 was 1.5, is 0.1"},
      {[&](auto& f) { f(a, true); }, [&](auto& f) { f(a, false); },
       "argument 1 was true, is false"},
      {[&](auto& f) { f("train", a); }, [&](auto& f) { f("val", a); },
       "argument 0 was \"train\", is \"val\""},
      {[&](auto& f) {
         f(Shape{2, 3});
       },
       [&](auto& f) {
         f(Shape{2, 4});
       },
       "argument 0 was (2, 3), is (2, 4)"},
      {[&](auto& f) {
         f(std::vector<Tensor>{a, a}, 1);
       },
       [&](auto& f) {
         f(std::vector<Tensor>{a, b}, 1);
       },
       "Tensor 1 of argument 0 was f32[2], is f32[3]"},
      {[&](auto& f) {
         f(std::vector<Tensor>{a, a});
       },
       [&](auto& f) {
         f(std::vector<Tensor>{a, a, a});
       },
       "argument 0 was 2 Tensors, is 3 Tensors"},
      {[&](auto& f) {
         f(Literal::of<float>({1, 2}));
       },
       [&](auto& f) {
         f(Literal::of<float>({1, 3}));
       },
       "argument 0 has another value"},
      {[&](auto& f) { f(a); }, [&](auto& f) { f(a, b); }, "it had 1 argument, has 2"},
      {[&](auto& f) { f(1, 2, 3, 4, 5, 6, 7); }, [&](auto& f) { f(1, 2, 3, 4, 5, 6, 8); },
       "argument 6 was 7, is 8"},
  };
  for (const Row& row : table) {
    Counter f = make();
    EXPECT_EQ(logged_by([&] { row.first(f); }), "");
    const std::string said = logged_by([&] { row.second(f); });
    EXPECT_NE(said.find(row.said), std::string::npos) << row.said << " in:\n" << said;
  }
}

TEST(Retrace, CountsAsOneSpeaks) {
  const std::pair<size_t, std::string> table[] = {
      {1, "1st"},     {2, "2nd"},     {3, "3rd"},     {4, "4th"},     {10, "10th"},  {11, "11th"},
      {12, "12th"},   {13, "13th"},   {21, "21st"},   {22, "22nd"},   {23, "23rd"},  {100, "100th"},
      {101, "101st"}, {111, "111th"}, {112, "112th"}, {113, "113th"}, {121, "121st"}};
  for (const auto& [number, text] : table) EXPECT_EQ(ordinal(number), text);
  EXPECT_EQ(counted(1, "array"), "1 array");
  EXPECT_EQ(counted(21, "array"), "21 arrays");
}

TEST(StrictShapes, OtherShapesAreAnErrorAndOtherValuesAreNot) {
  auto f = function([](const Tensor& x, int by) { return x * by; }, {.strict_shapes = true});
  const CaughtLog log;
  f(constant({1.f, 2.f}), 1), f(constant({1.f, 2.f}), 2);
  const std::string message = error_of([&] { f(constant({1.f, 2.f, 3.f}), 2); });
  for (const char* part :
       {"FailedPrecondition", "the 3rd program", "strict_shapes",
        "argument 0 was f32[2], is f32[3]", "multiple of 32 or 64", "function_log_test.cc"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in:\n" << message;
  EXPECT_EQ(f.traces(), 2u);
  EXPECT_EQ(f(constant({1.f, 2.f}), 2).literal(), Literal::of<float>({2, 4}));
}

TEST(StrictShapes, CanBeSetForTheWholeProcess) {
  auto f = function([](const Tensor& x) { return x; });
  const CaughtLog log;
  f(constant({1.f}));
  set_strict_shapes(true);
  EXPECT_THROW(f(constant({1.f, 2.f})), FailedPrecondition);
  set_strict_shapes(false);
  EXPECT_NO_THROW(f(constant({1.f, 2.f})));
}

TEST(Function, CallsFromSeveralThreadsUpdateAVariableOneAfterAnother) {
  constexpr int threads_count = 4, calls = 50;
  const Variable total(constant(0), {.name = "total"});
  auto add = function([&](const Tensor& x) {
    total.assign_add(x);
    return total.value();
  });
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < threads_count; ++i) {
    threads.emplace_back([&] {
      int last = 0;
      for (int call = 0; call < calls; ++call) {
        const int now = add(constant(1)).item<int32_t>();
        if (now <= last) ++wrong;  // every call sees its own sum
        last = now;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(total.literal().item<int32_t>(), threads_count * calls);
  EXPECT_EQ(add.traces(), 1u);
}

}  // namespace
}  // namespace systolic
