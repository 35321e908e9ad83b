// validation_data: what is wrong with arrays is found before the first step, not after an epoch of
// hours, and each batch counts once.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/dataset.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

Literal some(Shape shape) { return Literal::filled(DType::f32, std::move(shape), 1.0); }

data::Dataset pairs(const Shape& x, const Shape& y) {
  return data::from_tensor_slices({{"x", some(x)}, {"y", some(y)}});
}

TEST(Validation, ArraysThatDoNotFitAreFoundBeforeTheFirstStep) {
  const CaughtLog log;
  struct Case {
    const char* why;
    ValidationData data;
    const char* part;
  };
  const std::vector<Case> cases = {
      {"other features", {some({4, 3}), some({4, 1})}, "(4, 3)"},
      {"labels of another shape", {some({4, 2}), some({4, 5})}, "(4, 5)"}};
  for (const Case& one : cases) {
    Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1}});
    model.compile({.optimizer = SGD{}, .loss = "mse"});
    const std::vector<Literal> before = model.get_weights();
    const std::string message = error_of([&] {
      model.fit(some({8, 2}), some({8, 1}), {.validation_data = one.data, .verbose = 0});
    });
    EXPECT_CONTAINS(message, "with its validation_data");
    EXPECT_CONTAINS(message, one.part) << one.why;
    EXPECT_EQ(message.find("after "), std::string::npos) << message;
    EXPECT_EQ(model.get_weights(), before) << one.why;
  }
}

// Each epoch validates with all of them, and reads none but then.
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
