#include "systolic/trace/gradient_tape.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

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

TEST(Tape, SaysWhereNothingFlows) {
  const CaughtLog log;
  const Tensor x = constant(2.f), y = constant(3.f);
  const Tensor outside = x * x;
  for (const bool some : {true, false}) {
    GradientTape tape;
    tape.watch(x);
    tape.watch(y);
    const Tensor target = some ? outside + y : outside * 1;
    const auto gradients = tape.gradient(target, std::vector<Tensor>{x, y}, {"user.cc", 7});
    EXPECT_EQ(gradients[0].item<float>(), 0);
    EXPECT_EQ(log.warnings().find("none of the 2 sources") == std::string::npos, some);
  }
  EXPECT_NE(log.warnings().find("user.cc:7"), std::string::npos) << log.warnings();
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

}  // namespace
}  // namespace systolic
