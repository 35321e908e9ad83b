// What functions of the user's are given as labels: values as Keras 3.15 computes them.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "systolic/base/test_errors.h"
#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/losses/reduction.h"
#include "systolic/nn/metrics/metric.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

Tensor squared_error(const Tensor& y_true, const Tensor& y_pred) {
  return mean(square(y_true - y_pred), {.axis = -1});
}

struct SquaredError {
  Reduction reduction = "sum_over_batch_size";
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const {
    return squared_error(y_true, y_pred);
  }
};

struct LargestError {
  std::string name = "largest_error";
  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions&) const {
    state.add("largest", max(abs(cast(y_true, DType::f32) - y_pred)));
  }
  Tensor result(MetricState& state) const { return state.total("largest").value(); }
};

struct LabelCase {
  const char* name;
  Tensor labels, predictions;
  float loss, largest;
};

std::vector<LabelCase> label_cases() {
  const Tensor four = constant({1.f, 2.f, 3.f, 4.f}), column = reshape(four, {4, 1});
  const Tensor whole = constant({1, 2, 3, 4});
  const Tensor steps = reshape(constant({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}), {2, 3});
  return {
      {"(4,) beside (4, 1)", four, column, 0, 0},
      {"(4, 1) beside (4,)", column, four, 0, 0},
      {"(4, 1) beside (4, 1)", column, column + 1, 1, 1},
      {"integers (4,) beside (4, 1)", whole, column, 0, 0},
      {"integers (4,) beside (4, 1), off by 2", whole, column + 2, 4, 2},
      {"u8 (4, 1) beside (4,)", reshape(cast(whole, DType::u8), {4, 1}), four, 0, 0},
      {"yes or no (4,) beside (4, 1)", whole > 2, column, 4.5, 3},
      {"f16 (4,) beside (4, 1)", cast(four, DType::f16), column, 0, 0},
      {"(2, 3) beside (2, 3, 1)", steps, expand_dims(steps, -1), 0, 0},
      {"(2, 3, 1) beside (2, 3)", expand_dims(steps, -1), steps, 0, 0},
      {"integers (2, 3, 1) beside (2, 3)", expand_dims(cast(steps, DType::i32), -1), steps + 1, 1,
       1},
  };
}

TEST(OwnFunctionLabels, HaveThePredictionsRankAndType) {
  for (const LabelCase& row : label_cases()) {
    const LossFunction function = squared_error, object = SquaredError{};
    EXPECT_EQ(function(row.labels, row.predictions).item<float>(), row.loss) << row.name;
    EXPECT_EQ(object(row.labels, row.predictions).item<float>(), row.loss) << row.name;
    const Metric of_function = Metric::from_function("own", squared_error),
                 of_loss = SquaredError{};
    for (const Metric& metric : {of_function, of_loss}) {
      metric.update_state(row.labels, row.predictions);
      EXPECT_EQ(metric.result().item<float>(), row.loss) << row.name;
    }
    const Metric largest = LargestError{};
    largest.update_state(row.labels, row.predictions);
    EXPECT_EQ(largest.result().item<float>(), row.largest) << row.name;
  }
}

TEST(OwnFunctionLabels, AsIntegersLeaveTheGradientToThePredictions) {
  const Variable w = Variable(Literal::of<float>({{2}}));
  GradientTape tape;
  const Tensor predictions = matmul(constant({{1.f}, {3.f}}), w);
  const Tensor loss = LossFunction(squared_error)(constant({1, 2}), predictions);
  // mean of 2 x (w x - y): (2 + 24) / 2
  EXPECT_EQ(tape.gradient(loss, {w})[0].item<float>(), 13);
}

// Classes are rows of the predictions, and no axis of theirs.
TEST(OwnFunctionLabels, OfClassesStayAsTheyAre) {
  const Tensor scores = constant({{0.1f, 0.9f}, {0.8f, 0.2f}});
  const LossFunction own = [](const Tensor& y_true, const Tensor& y_pred) {
    return -sum(one_hot(y_true, 2) * log(y_pred), {.axis = -1});
  };
  EXPECT_NEAR(own(constant({1, 0}), scores).item<float>(), 0.164252, 1e-6);
  const Metric accuracy = "sparse_categorical_accuracy";
  accuracy.update_state(constant({{1, 0, 0}}), reshape(constant({1.f, 1.f, 1.f}), {1, 3, 1}));
  EXPECT_NEAR(accuracy.result().item<float>(), 2.0 / 3, 1e-6);
}

// Casting the predictions to integers would end the gradient.
TEST(OwnFunctionLabels, TheHintCastsIntegersAndNotFloats) {
  const Tensor whole = constant({1, 2}), real = constant({1.f, 2.f});
  EXPECT_CONTAINS(error_of([&] { (void)(whole - real); }),
                  "write cast(x, DType::f32) for the first");
  EXPECT_CONTAINS(error_of([&] { (void)(real - whole); }),
                  "write cast(x, DType::f32) for the second");
  EXPECT_CONTAINS(error_of([&] { (void)((whole > 1) * real); }),
                  "write cast(x, DType::f32) for the first");
}

}  // namespace
}  // namespace systolic
