// One model used from several threads at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/model.h"

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
  // However fit ends, or the others never would.
  struct Ends {
    std::atomic<bool>& flag;
    ~Ends() { flag = true; }
  };
  on_threads(3, [&](int i) {
    if (i == 0) {
      const Ends ends{trained};
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
      model.fit(rows(40, 0.03f), Literal::zeros(DType::f32, {40, 3}),
                {.epochs = 10, .batch_size = 8, .verbose = 0});
      trained = true;
      return;
    }
    do {
      if (model.current_logs().front().first != "loss") throw std::runtime_error("no loss");
    } while (!trained);
  });
}

}  // namespace
}  // namespace systolic
