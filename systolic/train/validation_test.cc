// What is wrong with validation_data is found before the first step, not behind an epoch of hours.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/dataset.h"
#include "systolic/nn/layers/dense.h"
#include "systolic/nn/layers/input.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/nn/sequential.h"
#include "systolic/train/model.h"

namespace systolic {
namespace {

Literal some(Shape shape) { return Literal::filled(DType::f32, std::move(shape), 1.0); }

data::Dataset pairs(const Shape& x, const Shape& y) {
  return data::from_tensor_slices({{"x", some(x)}, {"y", some(y)}});
}

TEST(Validation, WhatIsWrongIsFoundBeforeTheFirstStep) {
  const CaughtLog log;
  struct Case {
    const char* why;
    ValidationData data;
    const char* part;
  };
  const std::vector<Case> cases = {
      {"other features", pairs({4, 3}, {4, 1}).batch(2), "(2, 3)"},
      {"no labels", data::from_tensor_slices({{"x", some({4, 2})}}).batch(2), "x"},
      {"not batched", pairs({4, 2}, {4, 1}), "batch"},
      {"empty", pairs({4, 2}, {4, 1}).batch(2).take(0), "without a single batch"},
      {"labels of another shape", pairs({4, 2}, {4, 5}).batch(2), "(2, 5)"},
      {"arrays", {some({4, 3}), some({4, 1})}, "3"}};
  for (const Case& one : cases) {
    Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1}});
    model.compile({.optimizer = SGD{}, .loss = "mse"});
    const std::vector<Literal> before = model.get_weights();
    const std::string message = error_of([&] {
      model.fit(some({8, 2}), some({8, 1}), {.validation_data = one.data, .verbose = 0});
    });
    EXPECT_CONTAINS(message, one.part) << one.why;
    EXPECT_EQ(message.find("after "), std::string::npos) << message;
    EXPECT_EQ(model.get_weights(), before) << one.why;
  }
}

// The first batch, which is read early, counts once; each epoch validates with all of them.
TEST(Validation, EveryBatchCountsOnce) {
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{.learning_rate = 0}, .loss = "mse"});
  int64_t given = 0;
  const data::Dataset validation = pairs({10, 2}, {10, 1}).map([&given](const Example& e) {
    ++given;
    return e;
  });
  const History history =
      model.fit(some({8, 2}), some({8, 1}),
                {.epochs = 3, .validation_data = validation.batch(2), .verbose = 0});
  EXPECT_EQ(given, 30);
  const double loss = model.evaluate(validation.batch(2), {.verbose = 0})["loss"];
  ASSERT_EQ(history.history.at("val_loss").size(), 3u);
  for (const double value : history.history.at("val_loss")) EXPECT_NEAR(value, loss, 1e-6);
}

}  // namespace
}  // namespace systolic
