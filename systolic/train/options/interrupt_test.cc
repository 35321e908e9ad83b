// Ctrl-C during fit.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "systolic/base/test_log.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/options/on_interrupt.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

TEST(Interrupt, FinishesTheStepAndRestoresTheHandler) {
  const Arrays arrays = three_classes(40);
  Model model = small_model();
  CaughtLog warnings;
  const CallbackPtr press = LambdaCallback({.on_train_batch_end = [](int64_t step, const Logs&) {
    if (step == 1) std::raise(SIGINT);
  }});
  struct sigaction before = {}, after = {};
  sigaction(SIGINT, nullptr, &before);
  const History history = model.fit(
      batches(arrays, 10),
      {.epochs = 5, .callbacks = {press}, .verbose = 0, .on_interrupt = OnInterrupt::stop});
  sigaction(SIGINT, nullptr, &after);
  EXPECT_TRUE(history.interrupted);
  EXPECT_EQ(history.step_losses.size(), 2u);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  EXPECT_NE(warnings.lines().find("Interrupted after step 2"), std::string::npos)
      << warnings.lines();
}

// Presses Ctrl-C after a step of training in the second epoch, or of validation in the first.
struct Presser : Callback {
  Presser(int64_t train_step, int64_t test_step) : train_step_(train_step), test_step_(test_step) {}
  void on_epoch_end(int, const Logs&) override { ++ended; }
  void on_train_batch_end(int64_t step, const Logs&) override {
    if (ended == 1 && step == train_step_) std::raise(SIGINT);
  }
  void on_test_batch_end(int64_t step, const Logs&) override {
    ++tested;
    if (step == test_step_) std::raise(SIGINT);
  }
  int ended = 0, tested = 0;

 private:
  const int64_t train_step_, test_step_;
};

TEST(Interrupt, AnEpochThatIsCutShortIsNone) {
  struct Row {
    int64_t train_step, test_step;
    int ended, tested;
    size_t steps;
  };
  for (const Row& row : {Row{1, -1, 1, 4, 6}, Row{-1, 1, 0, 2, 4}}) {
    Model model = small_model();
    const CaughtLog log;
    const auto press = std::make_shared<Presser>(row.train_step, row.test_step);
    const data::Dataset data = batches(three_classes(40), 10);
    const History history = model.fit(data, {.epochs = 3,
                                             .validation_data = data,
                                             .callbacks = {press},
                                             .verbose = 0,
                                             .on_interrupt = OnInterrupt::stop});
    EXPECT_TRUE(history.interrupted);
    EXPECT_EQ(press->ended, row.ended);
    EXPECT_EQ(press->tested, row.tested);
    EXPECT_EQ(history.step_losses.size(), row.steps);
    EXPECT_EQ(history.epoch.size(), static_cast<size_t>(row.ended));
  }
}

TEST(Interrupt, ExitsWith130ByDefault) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        Model model = small_model();
        const CallbackPtr press = LambdaCallback(
            {.on_train_batch_end = [](int64_t, const Logs&) { std::raise(SIGINT); }});
        model.fit(batches(three_classes(40), 10), {.callbacks = {press}, .verbose = 0});
      },
      testing::ExitedWithCode(130), "Interrupted after step 1");
}

int threads_of_this_process() {
  int count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    count += thread.exists() ? 1 : 0;
  }
  return count;
}
struct sigaction interrupt_action() {
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  return now;
}
int threads_before = 0;
struct sigaction interrupt_before;  // ignored, where a shell runs the test in the background

// The kernel lists a thread for a moment after it was joined; one that was not joined stays.
bool only_these_threads_stay(int count) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (threads_of_this_process() > count) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Runs after fit has cleaned up, before static objects go.
void say_what_is_left() {
  const bool back = interrupt_action().sa_handler == interrupt_before.sa_handler;
  std::cerr << (only_these_threads_stay(threads_before) ? "threads joined, " : "threads left, ")
            << (back ? "handler back" : "handler left") << std::endl;
}

TEST(Interrupt, ExitsAfterFitHasCleanedUp) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto interrupted = [] {
    setenv("SYSTOLIC_MONITOR", "off", 1);  // its threads come when they come, and stay
    Model model = small_model();
    const data::Dataset all = batches(three_classes(400), 10).prefetch(2);
    model.fit(all.take(2), {.verbose = 0});
    threads_before = threads_of_this_process();
    interrupt_before = interrupt_action();
    std::atexit(say_what_is_left);
    const CallbackPtr press =
        LambdaCallback({.on_train_batch_end = [](int64_t, const Logs&) { std::raise(SIGINT); }});
    model.fit(all, {.callbacks = {press}, .verbose = 0});
  };
  EXPECT_EXIT(interrupted(), testing::ExitedWithCode(130), "threads joined, handler back");
}

}  // namespace
}  // namespace systolic
