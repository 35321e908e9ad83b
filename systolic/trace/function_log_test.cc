// What is logged where a function is compiled again, and functions on several threads.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/trace/function.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

class Logged {
 public:
  Logged()
      : previous_(
            set_log_sink([this](LogLevel, std::string_view text) { lines_.emplace_back(text); })) {}
  ~Logged() { set_log_sink(previous_); }
  // What was logged since the last call.
  std::string take() {
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    lines_.clear();
    return text;
  }

 private:
  std::vector<std::string> lines_;
  LogSink previous_;
};

TEST(Retrace, NamesTheArgumentTheShapesTheLineAndTheCount) {
  Logged log;
  auto f =
      function([](const Tensor& x, const Tensor& y) { return std::pair(x, y); }, {.name = "step"});
  const Tensor a = zeros({2, 3});
  f(a, zeros({2, 32}));
  EXPECT_EQ(log.take(), "");
  f(a, zeros({2, 37}));
  const std::string second = log.take();
  for (const char* part : {"function 'step'", "function_log_test.cc:", "compiled again, 2 programs",
                           "Tensor argument 1 was f32[2,32], is f32[2,37]", "multiple of 32 or 64"})
    EXPECT_NE(second.find(part), std::string::npos) << part << " in:\n" << second;
  f(a, zeros({2, 37}));
  f(a, zeros({2, 32}));
  EXPECT_EQ(log.take(), "");
  f(zeros({2, 3}, DType::i32), zeros({2, 37}));
  const std::string third = log.take();
  EXPECT_NE(third.find("3 programs so far: Tensor argument 0 was f32[2,3], is i32[2,3]"),
            std::string::npos)
      << third;
}

TEST(Retrace, OtherValuesAreNamedFromTheThirdOn) {
  Logged log;
  auto f = function([](const Tensor& x, int by) { return x * by; });
  f(constant(1.f), 1);
  f(constant(1.f), 2);
  EXPECT_EQ(log.take(), "");
  f(constant(1.f), 3);
  const std::string third = log.take();
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
