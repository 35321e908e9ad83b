#include "systolic/train/model/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/callbacks/learning_rate_scheduler.h"
#include "systolic/train/callbacks/terminate_on_nan.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

// Sequential gives a network, which becomes a model of the scope and not of the one outside it.
TEST(Model, OfANetworkThatAScopeReturnsIsOfItsStrategy) {
  const TPUClusterResolver resolver("v3-8", {.cores = 2});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  const auto made = strategy.scope([] {
    return Sequential({Input{.shape = {3}}, Dense{.units = 1}});
  });
  static_assert(std::is_same_v<decltype(made), const Model>);
  EXPECT_EQ(made.num_replicas(), 2);
  EXPECT_EQ(Model(Sequential({Dense{.units = 1}})).num_replicas(), 1);
}

TEST(Fit, LearnsAndRecordsHistory) {
  const Arrays arrays = three_classes(120);
  Model model = small_model();
  const History history = model.fit(
      arrays.x, arrays.y, {.epochs = 12, .batch_size = 20, .validation_split = 0.25, .verbose = 0});
  EXPECT_EQ(history.epoch.size(), 12u);
  EXPECT_EQ(history.step_losses.size(), 12u * 5);  // 90 rows: four batches of 20, one of 10
  EXPECT_GT(history.last("sparse_categorical_accuracy"), 0.95);
  EXPECT_GT(history.last("val_sparse_categorical_accuracy"), 0.95);
  EXPECT_EQ(history.samples, 12 * 90);
}

// The loss and accuracy over all rows, from the predictions.
struct Exact {
  double loss = 0, accuracy = 0;
};
Exact by_hand(const Model& model, const Arrays& arrays) {
  const Literal logits = model.predict(arrays.x, {.batch_size = 50});
  Exact exact;
  const int64_t rows = arrays.y.size();
  for (int64_t i = 0; i < rows; ++i) {
    double total = 0, best = -1e30;
    int64_t best_class = 0;
    for (int64_t k = 0; k < 3; ++k) {
      const double z = logits.number_at(i * 3 + k);
      total += std::exp(z);
      if (z > best) best = z, best_class = k;
    }
    exact.loss += std::log(total) - logits.number_at(i * 3 + arrays.y.integer_at(i));
    exact.accuracy += best_class == arrays.y.integer_at(i);
  }
  exact.loss /= static_cast<double>(rows);
  exact.accuracy /= static_cast<double>(rows);
  return exact;
}

TEST(Evaluate, CountsEverySampleOnceWhateverTheBatch) {
  const Arrays arrays = three_classes(50);
  for (int cores : {1, 8}) {
    TPUClusterResolver resolver("v3-8", {.cores = cores});
    initialize_tpu_system(resolver);
    const TPUStrategy strategy(resolver);
    Model model = strategy.scope([] { return small_model(); });
    model.fit(arrays.x, arrays.y, {.epochs = 2, .batch_size = 16, .verbose = 0});
    const Exact exact = by_hand(model, arrays);
    for (int64_t size : {50, 16, 7, 3}) {
      const Evaluation result = model.evaluate(batches(arrays, size), {.verbose = 0});
      EXPECT_EQ(result.samples, 50);
      EXPECT_NEAR(result["loss"], exact.loss, 1e-5) << cores << " cores, batch " << size;
      EXPECT_NEAR(result["sparse_categorical_accuracy"], exact.accuracy, 1e-6);
    }
  }
}

std::vector<float> losses_of(int cores, int64_t steps_per_execution) {
  TPUClusterResolver resolver("v3-8", {.cores = cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  Model model = strategy.scope([&] { return small_model(steps_per_execution); });
  return model
      .fit(batches(three_classes(96), 24).repeat(),
           {.epochs = 2, .steps_per_epoch = 10, .verbose = 0})
      .step_losses;
}

TEST(Fit, TheNumberOfCoresChangesNothing) {
  const auto one = losses_of(1, 1), eight = losses_of(8, 1);
  ASSERT_EQ(one.size(), eight.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], eight[i], 1e-4) << "step " << i;
}

TEST(Fit, StepsPerExecutionChangesNothing) {
  const auto single = losses_of(8, 1), grouped = losses_of(8, 4);  // 4 + 4 + 2 an epoch
  ASSERT_EQ(grouped.size(), 20u);
  for (size_t i = 0; i < single.size(); ++i)
    EXPECT_NEAR(single[i], grouped[i], 1e-5) << "step " << i;
}

TEST(Fit, SaysWhenTheDataEndsEarly) {
  Model model = small_model();
  CaughtLog warnings;
  const History history =
      model.fit(batches(three_classes(40), 20), {.epochs = 3, .steps_per_epoch = 5, .verbose = 0});
  EXPECT_EQ(history.epoch.size(), 1u);
  EXPECT_NE(warnings.lines().find("ended in epoch 1 after 2 of 5 steps"), std::string::npos)
      << warnings.lines();
  EXPECT_NE(warnings.lines().find("repeat()"), std::string::npos);
}

TEST(Fit, RefusesAnEmptyDataset) {
  Model model = small_model();
  const auto empty = batches(three_classes(10), 20).take(0);
  const std::string message =
      message_of<InvalidArgument>([&] { model.fit(empty, {.verbose = 0}); });
  EXPECT_NE(message.find("without a single batch"), std::string::npos) << message;
}

TEST(Fit, NamesALabelOutOfRange) {
  Arrays arrays = three_classes(10);
  arrays.y.mutable_data<int64_t>()[7] = 3;
  Model model = small_model();
  const std::string message =
      message_of<InvalidArgument>([&] { model.fit(batches(arrays, 5), {.verbose = 0}); });
  EXPECT_NE(message.find("label 3"), std::string::npos) << message;
  EXPECT_NE(message.find("row 2 of batch 1"), std::string::npos) << message;
  EXPECT_NE(message.find("0 to 2"), std::string::npos) << message;
}

TEST(Fit, NamesAnIntegerThatDoesNotFit) {
  const Arrays arrays{three_classes(4).x, Literal::of<int64_t>({0, 1, int64_t{1} << 40, 2})};
  Model model = Sequential({Input{.shape = {6}}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{}, .loss = "mse"});
  const std::string message =
      message_of<InvalidArgument>([&] { model.fit(batches(arrays, 4), {.verbose = 0}); });
  EXPECT_NE(message.find("1099511627776"), std::string::npos) << message;
}

TEST(Fit, WantsACompiledModel) {
  Model model = Sequential({Input{.shape = {6}}, Dense{.units = 3}});
  const Arrays arrays = three_classes(4);
  EXPECT_THROW(model.fit(arrays.x, arrays.y), FailedPrecondition);
}

TEST(Callbacks, TerminateOnNaNStopsAtTheStep) {
  Arrays arrays = three_classes(40);
  arrays.x.mutable_data<float>()[60] = NAN;  // row 10: the second batch of ten
  Model model = small_model();
  CaughtLog warnings;
  const History history =
      model.fit(batches(arrays, 10), {.epochs = 3, .callbacks = {TerminateOnNaN{}}, .verbose = 0});
  EXPECT_EQ(history.step_losses.size(), 2u);
  EXPECT_NE(warnings.lines().find("Epoch 1, step 2"), std::string::npos) << warnings.lines();
  EXPECT_NE(warnings.lines().find("first that is not finite: the input "), std::string::npos)
      << warnings.lines();
}

// The square root of what is negative for the row that `bad` marks.
struct Root {
  static constexpr const char* kind = "Root";
  std::string name = {};
  Tensor call(const Tensor& x, CallContext&) const { return sqrt(x); }
};

TEST(Callbacks, TerminateOnNaNNamesTheFirstLayer) {
  for (const int64_t steps : {1, 3}) {
    Literal x = Literal::filled(DType::f32, {12, 2}, 1);
    const Literal y = Literal::filled(DType::f32, {12, 2}, 1);
    x.mutable_data<float>()[10] = -1;  // the third batch of two
    Model model =
        Sequential({Input{.shape = {2}}, Root{.name = "root"}, Dense{.units = 2, .name = "after"}});
    model.compile(
        {.optimizer = SGD{.learning_rate = 0.01}, .loss = "mse", .steps_per_execution = steps});
    CaughtLog warnings;
    model.fit(x, y,
              {.batch_size = 2, .shuffle = false, .callbacks = {TerminateOnNaN{}}, .verbose = 0});
    EXPECT_NE(warnings.lines().find("first that is not finite: the output of layer 'root'"),
              std::string::npos)
        << warnings.lines();
  }
}

TEST(Callbacks, TerminateOnNaNTellsALossFromALayer) {
  const Literal x = Literal::filled(DType::f32, {4, 2}, 1);
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{.learning_rate = 0.01}, .loss = "mse"});
  CaughtLog warnings;
  model.fit(x, Literal::filled(DType::f32, {4, 1}, INFINITY),
            {.callbacks = {TerminateOnNaN{}}, .verbose = 0});
  EXPECT_NE(warnings.lines().find("the loss, of finite outputs"), std::string::npos)
      << warnings.lines();
}

TEST(Callbacks, TheLearningRateFollowsTheSchedule) {
  const Arrays arrays = three_classes(20);
  Model model = small_model();
  model.fit(arrays.x, arrays.y,
            {.epochs = 3,
             .callbacks = {LearningRateScheduler{[](int, double rate) { return rate / 2; }}},
             .verbose = 0});
  EXPECT_NEAR(model.optimizer().learning_rate().item<double>(), 0.02 / 8, 1e-8);
}

TEST(Metrics, StartAgainWhenReset) {
  const Arrays arrays = three_classes(30);
  Model model = small_model();
  model.evaluate(arrays.x, arrays.y, {.verbose = 0});
  const Logs once = model.current_logs();
  ASSERT_EQ(once.size(), 2u);
  EXPECT_GT(once[0].second, 0);
  model.reset_metrics();
  for (const auto& [name, value] : model.current_logs()) EXPECT_EQ(value, 0) << name;
  model.evaluate(arrays.x, arrays.y, {.verbose = 0});
  EXPECT_EQ(model.current_logs(), once);
}

TEST(Metrics, OnlyWeightedOnesTakeSampleWeights) {
  // One of two predictions is right; it weighs 3, the wrong one 1.
  for (const int64_t batch : {2, 3}) {  // whole, and padded after a batch of three
    Model model = Sequential({Input{.shape = {1}}, Dense{.units = 1, .use_bias = false}});
    model.compile({.optimizer = "sgd",
                   .loss = "mse",
                   .metrics = {MeanAbsoluteError{.name = "plain"}},
                   .weighted_metrics = {MeanAbsoluteError{.name = "weighted"}}});
    model.set_weights({Literal::of<float>({{1}})});
    const Literal x = Literal::of<float>({{0}, {1}, {0}, {1}}),
                  y = Literal::zeros(DType::f32, {4, 1});
    const Literal weights = Literal::of<float>({3, 1, 3, 1});
    const Evaluation result = model.evaluate(
        data::from_tensor_slices(Example{{"x", x}, {"y", y}, {"sample_weight", weights}})
            .batch(batch),
        {.verbose = 0});
    EXPECT_NEAR(result["plain"], 0.5, 1e-6) << batch;
    EXPECT_NEAR(result["weighted"], 0.25, 1e-6) << batch;
  }
}

TEST(Fit, NamesNumbersThatCannotBe) {
  const Arrays arrays = three_classes(10);
  struct Row {
    FitOptions options;
    const char* wanted;
  };
  const Row table[] = {
      {{.steps_per_epoch = 0, .verbose = 0}, "steps_per_epoch = 0, expected 1 or more"},
      {{.validation_steps = 0, .verbose = 0}, "validation_steps = 0"},
      {{.validation_freq = 0, .verbose = 0}, "validation_freq = 0"},
      {{.validation_split = NAN, .verbose = 0}, "validation_split = nan, expected a share"},
      {{.validation_split = 1, .verbose = 0}, "validation_split = 1"},
  };
  for (const Row& row : table) {
    Model model = small_model();
    const std::string message =
        message_of<InvalidArgument>([&] { model.fit(arrays.x, arrays.y, row.options); });
    EXPECT_NE(message.find(row.wanted), std::string::npos) << message;
  }
}

TEST(Fit, CountsTheStepsOfTheEpochInWhichTheDataEnds) {
  Model model = small_model();
  CaughtLog warnings;
  model.fit(batches(three_classes(40), 20), {.epochs = 3, .steps_per_epoch = 2, .verbose = 0});
  EXPECT_NE(warnings.lines().find("ended in epoch 2 after 0 of 2 steps"), std::string::npos)
      << warnings.lines();
}

}  // namespace
}  // namespace systolic
