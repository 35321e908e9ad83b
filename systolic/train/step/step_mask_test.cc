// What Embedding{.mask_zero = true} says does not count: for losses and metrics of each step, and
// for the statistics of a batch.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/core/embedding.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/layers/normalization/batch_normalization.h"
#include "systolic/nn/metrics/confusion/auc.h"
#include "systolic/nn/metrics/confusion/precision.h"
#include "systolic/nn/metrics/confusion/recall.h"
#include "systolic/nn/metrics/metric.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

// Three of six steps are real: 1 2 - and 3 - -.
const Literal& padded_ids() {
  static const Literal value = Literal::of<int32_t>({{1, 2, 0}, {3, 0, 0}});
  return value;
}
const std::vector<std::vector<double>> step_rows = {{10, -5}, {1, 2}, {3, -1}, {-2, 4}};

Model masked_model(std::vector<Layer> after = {}) {
  std::vector<Layer> layers = {
      Input{.shape = {3}, .dtype = DType::i32},
      Embedding{.input_dim = 4, .output_dim = 2, .mask_zero = true, .name = "table"}};
  layers.insert(layers.end(), after.begin(), after.end());
  Model model = Sequential(layers);
  for (const auto& one : model.network().named_weights()) {
    if (one.path == "table/embeddings")
      one.variable.set(Literal::of<float>({{10, -5}, {1, 2}, {3, -1}, {-2, 4}}));
  }
  return model;
}

// The mean over real steps, by what each of a row's numbers is turned into.
double mean_of_steps(double (*each)(double)) {
  double sum = 0;
  for (size_t row = 1; row < step_rows.size(); ++row) {
    for (const double value : step_rows[row]) sum += each(value) / 2;
  }
  return sum / 3;
}

Logs evaluated(const ModelArrays& weights, int64_t batch_size) {
  Model model = masked_model();
  model.compile({.optimizer = SGD{.learning_rate = 0},
                 .loss = "mse",
                 .metrics = {"mae"},
                 .weighted_metrics = {Metric("mse")}});
  return model
      .evaluate(padded_ids(), Literal::zeros(DType::f32, {2, 3, 2}),
                {.batch_size = batch_size, .sample_weight = weights, .verbose = 0})
      .logs;
}

double value_of(const Logs& logs, const std::string& name) {
  for (const auto& [key, value] : logs) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(StepMask, MaskedStepsCountInNoLossAndNoMetric) {
  const Logs logs = evaluated({}, 2);
  const double squares = mean_of_steps([](double x) { return x * x; });
  EXPECT_NEAR(value_of(logs, "loss"), squares, 1e-5);
  EXPECT_NEAR(value_of(logs, "mae"), mean_of_steps([](double x) { return std::abs(x); }), 1e-5);
  EXPECT_NEAR(value_of(logs, "mse"), squares, 1e-5);
}

// The second sample weighs nothing. As in Keras the loss divides by the number of real steps, a
// weighted metric by their weights.
TEST(StepMask, SampleWeightsCountBeside) {
  const Literal weights = Literal::of<float>({2, 0});
  const Logs logs = evaluated(weights, 2);
  const double sum = (1 + 4) / 2.0 + (9 + 1) / 2.0;
  EXPECT_NEAR(value_of(logs, "loss"), 2 * sum / 3, 1e-5);
  EXPECT_NEAR(value_of(logs, "mse"), sum / 2, 1e-5);
}

// Labels [batch, steps] beside predictions [batch, steps, 1]: what stands at masked steps is no
// matter, to metrics of samples neither.
TEST(StepMask, LabelsWithoutTheLastAxisAreOfSteps) {
  Model model = masked_model({Dense{.units = 1}});
  const Metric of_samples = Metric::from_function("largest", [](const Tensor&, const Tensor& y) {
    return max(y, {.axis = {1, 2}});
  });
  model.compile(
      {.optimizer = SGD{.learning_rate = 0}, .loss = "mse", .metrics = {"mse", "mae", of_samples}});
  const auto logs = [&](float masked, bool with_axis) {
    Literal y = Literal::of<float>({{1, 2, masked}, {3, masked, masked}});
    if (with_axis) y = y.reshape({2, 3, 1});
    return model.evaluate(padded_ids(), y, {.verbose = 0}).logs;
  };
  EXPECT_EQ(logs(0, false), logs(100, false));
  EXPECT_EQ(logs(0, false), logs(0, true));
  EXPECT_NEAR(value_of(logs(5, false), "loss"), value_of(logs(5, false), "mse"), 1e-5);
}

// Keras's metrics of counts take masked steps as real ones (0.7778, 1/2 and 1 in Keras 3.15); ours
// leave them out, as the means beside them do, so that how long rows are padded changes nothing.
// Wanted: Keras's own values with a sample weight of 0 at masked steps.
TEST(StepMask, CountsLeaveMaskedStepsOut) {
  Model model = masked_model({Dense{
      .units = 1, .activation = "sigmoid", .use_bias = false, .kernel_initializer = "ones"}});
  model.compile({.optimizer = SGD{.learning_rate = 0},
                 .loss = "mse",
                 .metrics = {AUC{}, Precision{}, Recall{}}});
  const Literal y = Literal::of<float>({{1, 0, 1}, {0, 1, 0}}).reshape({2, 3, 1});
  const Logs logs = model.evaluate(padded_ids(), y, {.verbose = 0}).logs;
  EXPECT_NEAR(value_of(logs, "auc"), 1, 1e-6);
  EXPECT_NEAR(value_of(logs, "precision"), 1.0 / 3, 1e-6);
  EXPECT_NEAR(value_of(logs, "recall"), 1, 1e-6);
}

// It says nothing of a batch's statistics, and makes nothing NaN.
TEST(StepMask, ABatchOfPaddingAloneChangesNoAverage) {
  Model model = masked_model({BatchNormalization{.name = "norm"}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{}, .loss = "mse"});
  const std::vector<Literal> before = model.get_weights();
  model.fit(Literal::zeros(DType::i32, {2, 3}), Literal::zeros(DType::f32, {2, 3, 1}),
            {.verbose = 0});
  EXPECT_EQ(model.get_weights(), before);
}

// Also in a batch with rows that only pad.
TEST(StepMask, BatchStatisticsAreThoseOfRealSteps) {
  for (const int64_t batch_size : {2, 5}) {
    Model model = masked_model({BatchNormalization{.momentum = 0, .name = "norm"}});
    model.compile({.optimizer = SGD{.learning_rate = 0}, .loss = "mse"});
    model.fit(padded_ids(), Literal::zeros(DType::f32, {2, 3, 2}),
              {.batch_size = batch_size, .shuffle = false, .verbose = 0});
    for (const auto& one : model.network().named_weights()) {
      const bool mean = one.path == "norm/moving_mean";
      if (!mean && one.path != "norm/moving_variance") continue;
      for (const size_t channel : {0, 1}) {
        double first = 0, second = 0;
        for (size_t row = 1; row < step_rows.size(); ++row) first += step_rows[row][channel] / 3;
        for (size_t row = 1; row < step_rows.size(); ++row)
          second += std::pow(step_rows[row][channel] - first, 2) / 3;
        EXPECT_NEAR(one.variable.literal().number_at(static_cast<int64_t>(channel)),
                    mean ? first : second, 1e-5)
            << one.path << batch_size;
      }
    }
  }
}

}  // namespace
}  // namespace systolic
