// What is logged where a function is compiled again, and functions on several threads.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "systolic/base/test_log.h"
#include "systolic/trace/function.h"
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

TEST(Retrace, NamesTheArgumentTheShapesTheLineAndTheCount) {
  auto f =
      function([](const Tensor& x, const Tensor& y) { return std::pair(x, y); }, {.name = "step"});
  const Tensor a = zeros({2, 3});
  EXPECT_EQ(logged_by([&] { f(a, zeros({2, 32})); }), "");
  const std::string second = logged_by([&] { f(a, zeros({2, 37})); });
  for (const char* part : {"function 'step'", "function_log_test.cc:", "compiled again, 2 programs",
                           "Tensor argument 1 was f32[2,32], is f32[2,37]", "multiple of 32 or 64"})
    EXPECT_NE(second.find(part), std::string::npos) << part << " in:\n" << second;
  EXPECT_EQ(logged_by([&] { f(a, zeros({2, 37})), f(a, zeros({2, 32})); }), "");
  const std::string third = logged_by([&] { f(zeros({2, 3}, DType::i32), zeros({2, 37})); });
  EXPECT_NE(third.find("3 programs so far: Tensor argument 0 was f32[2,3], is i32[2,3]"),
            std::string::npos)
      << third;
}

TEST(Retrace, OtherValuesAreNamedFromTheThirdOn) {
  auto f = function([](const Tensor& x, int by) { return x * by; });
  EXPECT_EQ(logged_by([&] { f(constant(1.f), 1), f(constant(1.f), 2); }), "");
  const std::string third = logged_by([&] { f(constant(1.f), 3); });
  EXPECT_NE(third.find("3 programs so far: an argument that is no Tensor"), std::string::npos)
      << third;
  EXPECT_NE(third.find("convert_to_tensor"), std::string::npos) << third;
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
