// One model used from several threads at once.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <latch>
#include <thread>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

Literal rows(int64_t count, float step) {
  Literal x(DType::f32, {count, 5});
  auto values = x.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = step * static_cast<float>(i % 23) - 0.4f;
  return x;
}

// Without an Input: the first batch, on whatever thread, builds it.
Model unbuilt_model() {
  return Sequential({Dense{.units = 16, .activation = "relu"}, Dense{.units = 3}});
}

// For a thread that others wait for: also where it throws.
struct SetAtTheEnd {
  std::atomic<bool>& flag;
  ~SetAtTheEnd() { flag = true; }
};

void on_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  std::vector<std::string> errors(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(i)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

TEST(Threads, PredictTogetherGivesWhatEachGivesAlone) {
  const Model alone = unbuilt_model(), together = unbuilt_model();
  std::vector<Literal> wanted;
  set_seed(11);
  for (int i = 0; i < 4; ++i)
    wanted.push_back(alone.predict(rows(10 + i, 0.03f), {.batch_size = 4}));
  set_seed(11);
  on_threads(4, [&](int i) {
    for (int round = 0; round < 20; ++round) {
      const Literal got = together.predict(rows(10 + i, 0.03f), {.batch_size = 4});
      if (!(got == wanted[static_cast<size_t>(i)])) throw std::runtime_error("other numbers");
    }
  });
}

// Steps go from w to w + 1 at once for all three weights: a prediction between two steps sees them
// equal.
TEST(Threads, PredictDuringFitSeesTheWeightsBetweenTwoSteps) {
  Model model = Sequential({Input{.shape = {5}}, Dense{.units = 1, .use_bias = false}});
  model.compile({.optimizer = SGD{.learning_rate = 1.0}, .loss = MeanAbsoluteError{}});
  model.set_weights({Literal::zeros(DType::f32, {5, 1})});
  // |w · 1 - 1000| falls by the same for every weight: all five grow by one a step.
  const Literal ones = Literal::filled(DType::f32, {64, 5}, 1.0);
  const Literal far = Literal::filled(DType::f32, {64, 1}, 1000.0);
  std::atomic<bool> trained{false};
  on_threads(3, [&](int i) {
    if (i == 0) {
      const SetAtTheEnd end{trained};
      model.fit(ones, far, {.epochs = 30, .batch_size = 8, .verbose = 0});
      return;
    }
    // One input a row: the rows are the five weights.
    Literal each = Literal::zeros(DType::f32, {5, 5});
    for (size_t k = 0; k < 5; ++k) each.mutable_data<float>()[k * 6] = 1;
    do {
      const Literal weights = model.predict(each, {.batch_size = 5});
      for (int64_t k = 1; k < 5; ++k) {
        if (weights.number_at(k) != weights.number_at(0)) throw std::runtime_error("a half step");
      }
    } while (!trained);
  });
}

TEST(Threads, LogsCanBeReadDuringFit) {
  Model model = unbuilt_model();
  model.compile({.optimizer = SGD{.learning_rate = 0.01}, .loss = MeanSquaredError{}});
  std::atomic<bool> trained{false};
  on_threads(3, [&](int i) {
    if (i == 0) {
      const SetAtTheEnd end{trained};
      model.fit(rows(40, 0.03f), Literal::zeros(DType::f32, {40, 3}),
                {.epochs = 10, .batch_size = 8, .verbose = 0});
      return;
    }
    do {
      if (model.current_logs().front().first != "loss") throw std::runtime_error("no loss");
    } while (!trained);
  });
}

TEST(Threads, PredictWhileAnotherCompiles) {
  Model model = Sequential({Input{.shape = {5}}, Dense{.units = 3}});
  const Literal x = rows(10, 0.03f), wanted = model.predict(x, {.batch_size = 4});
  std::atomic<bool> compiled{false};
  on_threads(4, [&](int i) {
    if (i == 0) {
      const SetAtTheEnd end{compiled};
      for (int round = 0; round < 50; ++round) {
        model.compile({.optimizer = SGD{.learning_rate = 0.01},
                       .loss = MeanSquaredError{},
                       .metrics = {"mae"},
                       .steps_per_execution = 1 + round % 3});
        if (model.current_logs().size() != 2) throw std::runtime_error("other logs");
      }
      return;
    }
    do {
      if (!(model.predict(x, {.batch_size = 4}) == wanted))
        throw std::runtime_error("other numbers");
    } while (!compiled);
  });
}

// What is traced under the model's lock is the user's code.
TEST(Threads, ALossThatUsesItsModelDoesNotWaitForItself) {
  Model model = Sequential({Input{.shape = {5}}, Dense{.units = 3}});
  int predicted = 0;
  const auto loss = [&](const Tensor& y_true, const Tensor& y_pred) {
    predicted += static_cast<int>(model.predict(rows(2, 0.1f)).shape()[0]);
    return mean(square(y_true - y_pred), {.axis = -1});
  };
  model.compile({.optimizer = SGD{.learning_rate = 0.01}, .loss = loss});
  model.fit(rows(8, 0.03f), Literal::zeros(DType::f32, {8, 3}), {.batch_size = 4, .verbose = 0});
  EXPECT_GT(predicted, 0);
}

void own_handler(int) {}

// SIGINT's handler is the test's own while one lives.
class OwnHandler {
 public:
  OwnHandler() {
    struct sigaction own = {};
    own.sa_handler = own_handler;
    sigaction(SIGINT, &own, &previous_);
  }
  ~OwnHandler() { sigaction(SIGINT, &previous_, nullptr); }
  static bool is_installed() {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    return now.sa_handler == own_handler;
  }

 private:
  struct sigaction previous_ = {};
};

History fit_with(Model& model, int epochs, const std::function<void(int64_t)>& at_step) {
  model.compile({.optimizer = SGD{.learning_rate = 0.01}, .loss = MeanSquaredError{}});
  const CallbackPtr callback = LambdaCallback(
      {.on_train_batch_end = [at_step](int64_t step, const Logs&) { at_step(step); }});
  return model.fit(rows(8, 0.03f), Literal::zeros(DType::f32, {8, 3}),
                   {.epochs = epochs,
                    .batch_size = 4,
                    .callbacks = {callback},
                    .verbose = 0,
                    .on_interrupt = OnInterrupt::stop});
}

TEST(Threads, TheHandlerOfCtrlCStaysUntilTheLastFitEnds) {
  const OwnHandler own;
  Model models[] = {unbuilt_model(), unbuilt_model()};
  History histories[2];
  std::latch both_train(2), first_ended(1);
  on_threads(2, [&](int i) {
    bool waits = true;
    histories[i] = fit_with(models[i], i == 0 ? 1 : 3, [&](int64_t) {
      if (!std::exchange(waits, false)) return;
      both_train.arrive_and_wait();
      if (OwnHandler::is_installed()) throw std::runtime_error("fit has no handler");
      if (i == 0) return;
      first_ended.wait();
      if (OwnHandler::is_installed()) throw std::runtime_error("the first fit took the handler");
      std::raise(SIGINT);
    });
    if (i == 0) first_ended.count_down();
  });
  EXPECT_TRUE(OwnHandler::is_installed());
  EXPECT_FALSE(histories[0].interrupted);
  EXPECT_EQ(histories[0].step_losses.size(), 2u);
  EXPECT_TRUE(histories[1].interrupted);
  EXPECT_EQ(histories[1].step_losses.size(), 1u);
}

TEST(Threads, OneCtrlCStopsAllFits) {
  const OwnHandler own;
  Model models[] = {unbuilt_model(), unbuilt_model()};
  History histories[2];
  std::latch both_train(2), pressed(1);
  on_threads(2, [&](int i) {
    bool waits = true;
    histories[i] = fit_with(models[i], 3, [&](int64_t) {
      if (!std::exchange(waits, false)) return;
      both_train.arrive_and_wait();
      if (i == 0) {
        std::raise(SIGINT);
        pressed.count_down();
      }
      pressed.wait();
    });
  });
  EXPECT_TRUE(OwnHandler::is_installed());
  for (const History& history : histories) {
    EXPECT_TRUE(history.interrupted);
    EXPECT_EQ(history.step_losses.size(), 1u);
  }
}

// One Ctrl-C stops two fits: the second still runs its step when the first ends the
// program.
TEST(Threads, TheProgramEndsWhenNoFitComputesAnyMore) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto press = [] {
    static std::atomic<int> running{0};
    std::atexit([] { std::cerr << running << " fits at exit" << std::endl; });
    std::latch both_train(2);
    on_threads(2, [&](int i) {
      Model model = unbuilt_model();
      bool waits = true;
      model.compile({.optimizer = SGD{.learning_rate = 0.01}, .loss = MeanSquaredError{}});
      const CallbackPtr callback =
          LambdaCallback({.on_train_end = [](const Logs&) { --running; },
                          .on_train_batch_end =
                              [&, i](int64_t, const Logs&) {
                                if (!std::exchange(waits, false)) return;
                                ++running;
                                both_train.arrive_and_wait();
                                if (i == 0) std::raise(SIGINT);
                                if (i == 1)
                                  std::this_thread::sleep_for(std::chrono::milliseconds(50));
                              }});
      model.fit(rows(80, 0.03f), Literal::zeros(DType::f32, {80, 3}),
                {.epochs = 1000, .batch_size = 4, .callbacks = {callback}, .verbose = 0});
    });
  };
  EXPECT_EXIT(press(), testing::ExitedWithCode(130), "0 fits at exit");
}

}  // namespace
}  // namespace systolic
