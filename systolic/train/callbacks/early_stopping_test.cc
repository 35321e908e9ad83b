// When EarlyStopping stops, and what it leaves in the model, told the values of a run.
#include "systolic/train/callbacks/early_stopping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/model/model_access.h"

namespace systolic {
namespace {

Model one_weight() {
  return Sequential({Input{.shape = {1}}, Dense{.units = 1, .use_bias = false}});
}

struct Ended {
  size_t epochs = 0;
  double weight = 0;  // after the epoch k it is k, unless an earlier one is restored
};

// An epoch for each value, until the callback stops the training.
Ended run(const EarlyStopping& options, const std::vector<double>& values,
          Model model = one_weight()) {
  const CallbackPtr callback = options;
  callback->attach(model, {});
  callback->on_train_begin();
  Ended ended;
  while (ended.epochs < values.size() && !is_stopped(model)) {
    const auto epoch = static_cast<int>(ended.epochs);
    model.set_weights({Literal::filled(DType::f32, {1, 1}, epoch)});
    callback->on_epoch_end(epoch, {{options.monitor, values[ended.epochs++]}});
  }
  callback->on_train_end({});
  ended.weight = model.get_weights().front().number_at(0);
  return ended;
}

TEST(EarlyStopping, StopsWhereKerasDoes) {
  struct Row {
    const char* what;
    EarlyStopping options;
    std::vector<double> values;
    size_t epochs;
    double weight;
  };
  const Row table[] = {
      {"a loss falls", {}, {3, 2, 1}, 3, 2},
      {"a loss rises", {}, {1, 2, 0}, 2, 1},
      {"its best epoch is restored", {.restore_best_weights = true}, {2, 1, 2, 0}, 3, 1},
      {"also where nothing stopped",
       {.patience = 9, .restore_best_weights = true},
       {2, 1, 2},
       3,
       1},
      {"patience lets epochs pass", {.patience = 2}, {1, 2, 2, 0}, 3, 2},
      {"an improvement starts anew", {.patience = 2}, {3, 4, 2, 4, 4, 0}, 5, 4},
      {"too small a gain is none", {.min_delta = 0.5, .patience = 1}, {3, 2.6, 0}, 2, 1},
      {"an accuracy rises", {.monitor = "val_accuracy"}, {0.1, 0.2, 0.1, 0.9}, 3, 2},
      {"a mode that is given", {.monitor = "reward", .mode = MonitorMode::max}, {1, 2, 1}, 3, 2},
      {"the first epochs do not count", {.start_from_epoch = 2}, {1, 2, 3, 4, 0}, 4, 3},
      {"NaN is no improvement", {.patience = 2}, {NAN, NAN, NAN, 1}, 3, 2},
      // There Keras stops: nothing is smaller than NaN.
      {"any number improves on NaN", {.patience = 2}, {NAN, 5, 4, 3}, 4, 3},
      {"above the baseline it waits", {.patience = 2, .baseline = 1.0}, {3, 2, 2, 0}, 3, 2},
      {"below it starts anew", {.patience = 2, .baseline = 1.0}, {3, 0.5, 0.6, 0.7, 0}, 4, 3},
  };
  for (const Row& row : table) {
    const Ended ended = run(row.options, row.values);
    EXPECT_EQ(ended.epochs, row.epochs) << row.what;
    EXPECT_EQ(ended.weight, row.weight) << row.what;
  }
}

struct Silent {
  std::string name = "reward";
  void update(MetricState& state, const Tensor&, const Tensor& y_pred, const MetricOptions&) const {
    state.add("total", sum(y_pred));
  }
  Tensor result(MetricState& state) const { return state.total("total").value(); }
};

struct Rising : Silent {
  static constexpr bool larger_is_better = true;
};

TEST(EarlyStopping, AsksTheMetricWhichWayItImproves) {
  struct Row {
    const char* what;
    Metric metric;
    std::string monitor;
    size_t epochs;  // of the values 1, 2, 1
  };
  const Row table[] = {
      {"a library's own", MatthewsCorrelation{}, "val_matthews_correlation", 3},
      {"one of the user's", Rising{"reward"}, "reward", 3},
      {"a loss as a metric", MeanSquaredError{}, "val_mean_squared_error", 2},
      {"a score of F", F1Score{.average = "macro"}, "val_f1_score", 3},
  };
  for (const Row& row : table) {
    Model model = one_weight();
    model.compile({.loss = "mse", .metrics = {row.metric}});
    EXPECT_EQ(run({.monitor = row.monitor}, {1, 2, 1}, model).epochs, row.epochs) << row.what;
  }
}

// What one fit's model said is not what another's does; and a name may begin with val_ by itself.
TEST(EarlyStopping, AsksEachModelByTheNameInItsLogs) {
  Model first = one_weight(), second = one_weight(), third = one_weight();
  first.compile({.loss = "mse", .metrics = {Rising{"x"}}});
  second.compile({.loss = "mse"});
  third.compile({.loss = "mse", .metrics = {Rising{"val_score"}}});
  const CallbackPtr callback = EarlyStopping{.monitor = "x"};
  for (const Model& model : {first, second}) {
    callback->attach(model, {});
    callback->on_train_begin();
    callback->on_epoch_end(0, {{"x", 1.0}});
    callback->on_epoch_end(1, {{"x", 0.5}});
  }
  EXPECT_TRUE(is_stopped(first));
  EXPECT_FALSE(is_stopped(second));
  EXPECT_EQ(run({.monitor = "val_score"}, {0, 1, 0}, third).epochs, 3u);
}

TEST(EarlyStopping, WantsAModeWhereTheMetricDoesNotSay) {
  Model model = one_weight();
  model.compile({.loss = "mse", .metrics = {Silent{}}});
  const auto message = message_of<InvalidArgument>([&] {
    run({.monitor = "val_reward"}, {1, 2}, model);
  });
  EXPECT_CONTAINS(message, "EarlyStopping watches 'val_reward'");
  EXPECT_CONTAINS(message, "expected .mode = MonitorMode::max or MonitorMode::min");
  EXPECT_CONTAINS(message, "early_stopping_test.cc:");
  EXPECT_EQ(run({.monitor = "val_reward", .mode = MonitorMode::max}, {1, 2, 1}, model).epochs, 3u);
}

TEST(EarlyStopping, SaysWhatItDoesNotFindAndWhatThereIs) {
  Model model = one_weight();
  const CallbackPtr callback = EarlyStopping({.monitor = "vall_loss"});
  callback->attach(model, {});
  const CaughtLog log;
  callback->on_epoch_end(0, {{"loss", 1.0}, {"val_loss", 2.0}});
  EXPECT_EQ(log.lines(),
            "EarlyStopping watches 'vall_loss', which is not among the logs of epoch 1: loss, "
            "val_loss.\n");
}

}  // namespace
}  // namespace systolic
