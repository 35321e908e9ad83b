// train_on_batch and its like, steps of one's own, averages of weights, and what tells of layers.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/optimizers/common/loss_scale_optimizer.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/callbacks/swap_ema_weights.h"
#include "systolic/train/model/model.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

double last_number(const Logs& logs, const char* name) { return log_value(logs, name); }

TEST(TrainOnBatch, IsOneStepOfFit) {
  const Arrays arrays = three_classes(24);
  Model one = small_model(), other = small_model();
  const History history =
      one.fit(arrays.x, arrays.y, {.epochs = 3, .batch_size = 24, .shuffle = false, .verbose = 0});
  for (int step = 0; step < 3; ++step) {
    const Logs logs = other.train_on_batch(arrays.x, arrays.y);
    EXPECT_EQ(last_number(logs, "loss"), history.step_losses[static_cast<size_t>(step)]);
  }
  EXPECT_EQ(one.get_weights()[0], other.get_weights()[0]);
  EXPECT_EQ(other.optimizer().iterations().item<int32_t>(), 3);
  const Evaluation evaluation = one.evaluate(arrays.x, arrays.y, {.batch_size = 24, .verbose = 0});
  EXPECT_EQ(other.test_on_batch(arrays.x, arrays.y), evaluation.logs);
  EXPECT_EQ(other.predict_on_batch(arrays.x), one.predict(arrays.x));
}

// Metrics are those of the batch alone, whatever was seen before; a batch of a dataset is as good.
TEST(TrainOnBatch, LogsTheBatch) {
  const Arrays arrays = three_classes(20);
  Model model = small_model();
  model.test_on_batch(arrays.x.rows(0, 7), arrays.y.rows(0, 7));
  double loss = 0;
  for (const Example& batch : batches(arrays, 10))
    loss += last_number(model.test_on_batch(batch), "loss");
  const Logs whole = model.test_on_batch(arrays.x, arrays.y);
  EXPECT_NEAR(last_number(whole, "loss"), loss / 2, 1e-6);
}

TEST(TrainOnBatch, TakesWeights) {
  const Arrays arrays = three_classes(9);
  Model by_class = small_model(), by_sample = small_model();
  Literal weights(DType::f32, {9});
  for (int64_t i = 0; i < 9; ++i)
    weights.mutable_data<float>()[static_cast<size_t>(i)] = arrays.y.integer_at(i) == 1 ? 3.f : 1.f;
  const Logs a = by_class.train_on_batch(arrays.x, arrays.y, {.class_weight = {{1, 3.0}}});
  const Logs b = by_sample.train_on_batch(arrays.x, arrays.y, {.sample_weight = weights});
  EXPECT_EQ(a, b);
  EXPECT_THROW(by_class.test_on_batch(arrays.x, arrays.y, {.class_weight = {{1, 3.0}}}),
               InvalidArgument);
}

// Rows that do not divide over the cores are padded, and change nothing.
TEST(TrainOnBatch, OnSeveralCoresIsTheSame) {
  const Arrays arrays = three_classes(21);
  Model alone = small_model();
  const Logs wanted = alone.train_on_batch(arrays.x, arrays.y);
  const TPUClusterResolver resolver("v3-8", {.cores = 4});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  Model model = strategy.scope([] { return small_model(); });
  const Logs found = model.train_on_batch(arrays.x, arrays.y);
  EXPECT_NEAR(last_number(found, "loss"), last_number(wanted, "loss"), 1e-6);
  EXPECT_EQ(model.predict_on_batch(arrays.x).shape(), Shape({21, 3}));
}

TEST(TrainOnBatch, SaysWhatDoesNotFit) {
  const Arrays arrays = three_classes(6);
  Model plain = Sequential({Input{.shape = {6}}, Dense{.units = 3}});
  EXPECT_THROW(plain.train_on_batch(arrays.x, arrays.y), FailedPrecondition);
  Model model = small_model();
  EXPECT_THROW(model.train_on_batch(arrays.x, arrays.y.rows(0, 5)), InvalidArgument);
  EXPECT_THROW(model.train_on_batch(Example{{"x", arrays.x}}), InvalidArgument);
}

StepLogs plain_step(const Model& model, StepCall& step) {
  GradientTape tape;
  step.call(true);
  const Tensor loss = step.compute_loss();
  step.apply_gradients(tape.gradient(loss, model.trainable_variables()));
  return step.compute_metrics();
}

CompileOptions own_options() {
  return {.optimizer = Adam{.learning_rate = 0.02},
          .loss = SparseCategoricalCrossentropy{.from_logits = true},
          .metrics = {"sparse_categorical_accuracy"}};
}

// One that does what the library's does gives the same, in fit, too, and on several steps at once.
TEST(OwnStep, IsTheStepOfFit) {
  const Arrays arrays = three_classes(24);
  for (const int64_t steps : {1, 3}) {
    Model one = small_model(steps), other = small_model();
    CompileOptions options = own_options();
    options.train_step = plain_step;
    options.steps_per_execution = steps;
    other.compile(options);
    const FitOptions fit{.epochs = 2, .batch_size = 8, .shuffle = false, .verbose = 0};
    const History a = one.fit(arrays.x, arrays.y, fit), b = other.fit(arrays.x, arrays.y, fit);
    for (const char* name : {"loss", "sparse_categorical_accuracy"})
      EXPECT_NEAR(a.last(name), b.last(name), 1e-6) << name;
    EXPECT_EQ(one.get_weights()[0], other.get_weights()[0]);
  }
}

TEST(OwnStep, LogsWhatItGives) {
  const Arrays arrays = three_classes(12);
  const Metric mean = Mean{.name = "mean_logit"};
  Model model = small_model();
  CompileOptions options = own_options();
  options.step_metrics = {mean};
  options.test_step = [mean](const Model&, StepCall& step) -> StepLogs {
    const Tensor y = step.call(false).at(0);
    mean.update_state(y);
    return {{"largest", max(y)}, {"mean_logit", mean.result()}};
  };
  model.compile(options);
  for (int time = 0; time < 2; ++time) {
    const Logs logs = model.evaluate(arrays.x, arrays.y, {.batch_size = 4, .verbose = 0}).logs;
    ASSERT_EQ(logs.size(), 2u);
    double sum = 0;
    const Literal y = model.predict(arrays.x);
    for (int64_t i = 0; i < y.size(); ++i) sum += y.number_at(i);
    EXPECT_NEAR(last_number(logs, "mean_logit"), sum / static_cast<double>(y.size()), 1e-6);
  }
  // Training logs what compile said.
  EXPECT_EQ(model.train_on_batch(arrays.x, arrays.y).front().first, "loss");
  const History history =
      model.fit(arrays.x, arrays.y, {.validation_data = {arrays.x, arrays.y}, .verbose = 0});
  EXPECT_TRUE(std::isfinite(history.last("val_largest")));
  EXPECT_TRUE(std::isfinite(history.last("loss")));
}

TEST(OwnStep, SaysWhatIsMissing) {
  const Arrays arrays = three_classes(12);
  Model model = small_model();
  CompileOptions options = own_options();
  options.train_step = [](const Model&, StepCall& step) -> StepLogs {
    return {{"loss", step.compute_loss()}};
  };
  model.compile(options);
  EXPECT_THROW(model.train_on_batch(arrays.x, arrays.y), FailedPrecondition);
  options.train_step = [](const Model&, StepCall& step) -> StepLogs {
    return {{"all", step.call(true).at(0)}};
  };
  model.compile(options);
  EXPECT_THROW(model.train_on_batch(arrays.x, arrays.y), InvalidArgument);
}

TEST(Fit, EndsWithTheAverages) {
  const Arrays arrays = three_classes(24);
  Model model = small_model();
  CompileOptions options = own_options();
  options.optimizer = SGD{.learning_rate = 0.1, .use_ema = true, .ema_momentum = 0.5};
  model.compile(options);
  Literal before;
  model.fit(arrays.x, arrays.y,
            {.batch_size = 8,
             .callbacks = {SwapEMAWeights{}, LambdaCallback{.on_epoch_end =
                                                                [&](int, const Logs&) {
                                                                  before = model.get_weights()[0];
                                                                }}},
             .verbose = 0});
  const Literal after = model.get_weights()[0];
  EXPECT_NE(before, after);
  model.optimizer().swap_averages();  // the averages are what the weights became
  EXPECT_EQ(model.get_weights()[0], after);
}

TEST(SwapEMAWeights, EvaluatesWithTheAverages) {
  const Arrays arrays = three_classes(24);
  Model model = small_model();
  CompileOptions options = own_options();
  options.optimizer = SGD{.learning_rate = 0.5, .use_ema = true, .ema_momentum = 0.9};
  model.compile(options);
  model.train_on_batch(arrays.x, arrays.y);
  model.train_on_batch(arrays.x, arrays.y);
  const Literal weights = model.get_weights()[0];
  const double plain = last_number(model.evaluate(arrays.x, arrays.y, {.verbose = 0}).logs, "loss");
  const double averaged = last_number(
      model.evaluate(arrays.x, arrays.y, {.callbacks = {SwapEMAWeights{}}, .verbose = 0}).logs,
      "loss");
  EXPECT_EQ(model.get_weights()[0], weights);
  model.optimizer().swap_averages();
  EXPECT_NE(plain, averaged);
  EXPECT_EQ(averaged, last_number(model.evaluate(arrays.x, arrays.y, {.verbose = 0}).logs, "loss"));
}

TEST(Compile, ScalesTheLossOfHalves) {
  const DTypePolicyScope half("mixed_float16");
  Model model = small_model();
  EXPECT_EQ(model.optimizer().name(), "loss_scale_optimizer");
  CompileOptions options = own_options();
  options.auto_scale_loss = false;
  Model plain = Sequential({Input{.shape = {6}}, Dense{.units = 3}});
  plain.compile(options);
  EXPECT_EQ(plain.optimizer().name(), "adam");
  const Arrays arrays = three_classes(24);
  model.fit(arrays.x, arrays.y, {.epochs = 5, .batch_size = 8, .verbose = 0});
  EXPECT_EQ(model.optimizer().iterations().item<int32_t>(), 15);
}

TEST(Summary, ShowsWhatIsAskedFor) {
  const Layer inner =
      Sequential({Input{.shape = {4}}, Dense{.units = 2, .name = "low"}}, {.name = "encoder"});
  Model model = Sequential({Input{.shape = {4}}, inner, Dense{.units = 3, .name = "high"},
                            Dense{.units = 1, .name = "top"}});
  model.get_layer("encoder/low").set_trainable(false);
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_FALSE(has(model.summary_text(), "low"));
  const std::string all =
      model.summary_text({.width = 100, .expand_nested = true, .show_trainable = true});
  for (const char* part : {"└ low (Dense)", "Trainable", "│ N ", "│ Y ", "encoder"})
    EXPECT_TRUE(has(all, part)) << part << "\n" << all;
  const std::string part = model.summary_text({.layer_range = {{"high", "top"}}});
  EXPECT_TRUE(has(part, "high") && has(part, "top") && !has(part, "encoder")) << part;
  EXPECT_THROW(model.summary_text({.layer_range = {{"top", "high"}}}), InvalidArgument);
  EXPECT_THROW(model.summary_text({.layer_range = {{"(", "high"}}}), InvalidArgument);
  EXPECT_EQ(model.get_layer(-1).name(), "top");
  EXPECT_EQ(model.layers().size(), 3u);
  EXPECT_EQ(model.trainable_variables().size(), 4u);
  EXPECT_THROW(model.get_layer(3), NotFound);
}

}  // namespace
}  // namespace systolic
