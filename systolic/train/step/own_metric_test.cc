// Metrics of the user's in fit and evaluate: those that look at the samples' weights, and those
// that do not.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/dataset.h"
#include "systolic/distribute/strategy.h"
#include "systolic/events/event_sink.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

// How many examples there were.
struct CountAll {
  std::string name = "count";
  void update(MetricState& state, const Tensor& y_true, const Tensor&, const MetricOptions&) const {
    state.add("n", sum(ones({y_true.shape()[0]})));
  }
  Tensor result(MetricState& state) const { return state.total("n").value(); }
};

// By their weights.
struct CountWeights {
  std::string name = "count";
  void update(MetricState& state, const Tensor& y_true, const Tensor&,
              const MetricOptions& options) const {
    const Tensor each = ones({y_true.shape()[0]});
    state.add("n", sum(options.sample_weight ? each * *options.sample_weight : each));
  }
  Tensor result(MetricState& state) const { return state.total("n").value(); }
};

Metric mean_of_batch() {
  return Metric::from_function("mean_of_batch",
                               [](const Tensor& y_true, const Tensor&) { return mean(y_true); });
}

Model one_weight(const Metric& metric, bool eagerly, bool weighted = false) {
  Model model = Sequential({Input{.shape = {1}}, Dense{.units = 1, .use_bias = false}});
  CompileOptions options{.optimizer = SGD{}, .loss = "mse", .run_eagerly = eagerly};
  (weighted ? options.weighted_metrics : options.metrics) = {metric};
  model.compile(std::move(options));
  return model;
}

// 0, 1, 2, ... [rows, 1]
Literal numbers(int64_t rows) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) values.push_back(static_cast<float>(i));
  return Literal::from(values, {rows, 1});
}

TEST(OwnMetric, SeesNoRowsThatOnlyPad) {
  const Literal x = numbers(45);
  for (const bool eagerly : {false, true}) {
    for (const Metric& metric : {Metric(CountAll{}), Metric(CountWeights{})}) {
      Model model = one_weight(metric, eagerly);
      EXPECT_EQ(model.evaluate(x, x, {.batch_size = 16, .verbose = 0})["count"], 45);
      const History history = model.fit(x, x, {.epochs = 2, .batch_size = 16, .verbose = 0});
      EXPECT_EQ(history.history.at("count").back(), 45);
    }
  }
}

// Each batch counts alike, as in Keras: 7.5, 23.5 and 38.
TEST(OwnMetric, MayGiveOneNumberForABatch) {
  const Literal x = numbers(45);
  Model model = one_weight(mean_of_batch(), false);
  EXPECT_NEAR(model.evaluate(x, x, {.batch_size = 16, .verbose = 0})["mean_of_batch"], 23, 1e-5);
}

// A batch of 13 is padded to 16 for the cores, and so is another fit's of 10; several steps are one
// execution.
TEST(OwnMetric, SeesNoPaddingOnSeveralCoresEither) {
  for (const int64_t steps : {1, 4}) {
    Model model = TPUStrategy(TPUClusterResolver("v3-8")).scope([] {
      return Sequential({Input{.shape = {1}}, Dense{.units = 1, .use_bias = false}});
    });
    model.compile({.optimizer = SGD{},
                   .loss = "mse",
                   .metrics = {"mae", CountAll{}, mean_of_batch()},
                   .steps_per_execution = steps});
    for (const int64_t rows : {45, 42, 48}) {
      const Literal x = numbers(rows);
      const Evaluation got = model.evaluate(x, x, {.batch_size = 16, .verbose = 0});
      EXPECT_EQ(got["count"], static_cast<double>(rows));
      const double last = static_cast<double>(32 + rows - 1) / 2;
      EXPECT_NEAR(got["mean_of_batch"], (7.5 + 23.5 + last) / 3, 1e-5) << rows;
      const History history = model.fit(x, x, {.batch_size = 16, .verbose = 0});
      EXPECT_EQ(history.last("count"), static_cast<double>(rows));
    }
  }
}

// A score's totals are made in the first update: what read it before does not keep its zeros.
TEST(OwnMetric, IsReadAnewBehindTheFirstUpdate) {
  struct Reads : Callback {
    void on_train_begin() override { model().current_logs(); }
  };
  const Literal x = Literal::of<float>({{9}, {-9}, {9}}), y = Literal::of<int32_t>({1, 0, 1});
  Model model = Sequential({Input{.shape = {1}}, Dense{.units = 1, .kernel_initializer = "ones"}});
  model.compile({.optimizer = SGD{.learning_rate = 0.0},
                 .loss = "mse",
                 .metrics = F1Score{.average = "binary", .threshold = 0.5}});
  const History history = model.fit(x, y, {.callbacks = {std::make_shared<Reads>()}, .verbose = 0});
  EXPECT_NEAR(history.last("f1_score"), 1, 1e-6);
}

TEST(OwnMetric, OfSeveralValuesIsNamedWithTheLineOfCompile) {
  Model model = one_weight(Precision{.thresholds = {0.2, 0.5}}, false);
  const auto message =
      message_of<InvalidArgument>([&] { model.evaluate(numbers(4), numbers(4), {.verbose = 0}); });
  EXPECT_CONTAINS(message, "metric 'precision' gives 2 values");
  EXPECT_CONTAINS(message, "own_metric_test.cc:");
}

TEST(OwnMetric, OfOneAloneNeedsNoBraces) {
  Model model = Sequential({Input{.shape = {1}}, Dense{.units = 1}});
  model.compile({.loss = "mse", .metrics = "mae"});
  EXPECT_GE(model.evaluate(numbers(4), numbers(4), {.verbose = 0})["mae"], 0);
  model.compile({.loss = "mse", .metrics = CountAll{}});
  EXPECT_EQ(model.evaluate(numbers(4), numbers(4), {.verbose = 0})["count"], 4);
}

struct HeardWarnings : EventSink {
  void handle(const events::Moment&, const Event& event) override {
    if (const events::Line* line = line_of(event)) text += line->text;
  }
  std::string text;
};

TEST(OwnMetric, IsWarnedOfWeightsThatItDoesNotLookAt) {
  const Literal x = numbers(4);
  const CaughtLog log;
  Model model = one_weight(CountAll{"lazy_count"}, false, true);
  const auto heard = std::make_shared<HeardWarnings>();
  model.evaluate(
      x, x,
      {.sample_weight = Literal::of<float>({1, 2, 0, 1}), .event_sinks = {heard}, .verbose = 0});
  for (const std::string& said : {log.lines(), heard->text})
    EXPECT_CONTAINS(said, "metric 'lazy_count' does not look at options.sample_weight");
}

}  // namespace
}  // namespace systolic
