// Models that are a struct with a call of one's own, their steps, and what layers add to the logs.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/callbacks/early_stopping.h"
#include "systolic/train/model/model.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

struct Classifier {
  int64_t hidden = 8;

  Tensor call(const Tensor& x, CallContext& context) const {
    const Tensor h = Dense{.units = hidden, .activation = "relu", .name = "hidden"}(x, context);
    return Dense{.units = 3, .name = "logits"}(h, context);
  }
};

CompileOptions classes() {
  return {.optimizer = Adam{.learning_rate = 0.02},
          .loss = SparseCategoricalCrossentropy{.from_logits = true},
          .metrics = {"sparse_categorical_accuracy"}};
}

// The same layers one after another, from the same weights, train the same.
TEST(OwnModel, TrainsAsItsLayersDo) {
  const Arrays arrays = three_classes(24);
  Model chain = small_model();
  for (const bool knows_shape : {true, false}) {
    const std::vector<Input> inputs =
        knows_shape ? std::vector<Input>{Input{.shape = {6}}} : std::vector<Input>{};
    Model own(Classifier{}, inputs);
    own.compile(classes());
    if (!knows_shape) own.predict(arrays.x);
    Model wanted = chain.clone();
    wanted.compile(classes());
    own.set_weights(wanted.get_weights());
    const FitOptions fit{.epochs = 2, .batch_size = 8, .shuffle = false, .verbose = 0};
    const History a = wanted.fit(arrays.x, arrays.y, fit), b = own.fit(arrays.x, arrays.y, fit);
    for (const char* name : {"loss", "sparse_categorical_accuracy"})
      EXPECT_EQ(a.last(name), b.last(name)) << name;
    EXPECT_EQ(wanted.predict(arrays.x), own.predict(arrays.x));
    EXPECT_EQ(own.get_layer("classifier/hidden").kind(), "Dense");
    own.get_layer("classifier/hidden").set_trainable(false);
    EXPECT_EQ(own.trainable_variables().size(), 2u);
  }
}

// Two inputs, found by their names, and a model inside the struct.
struct Comparison {
  Layer encoder = Sequential({Dense{.units = 4, .activation = "tanh"}}, {.name = "encoder"});

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const {
    const Tensor apart = encoder(xs[0], context) - encoder(xs[1], context);
    context.add_metric(mean(square(apart)), "distance");
    return Dense{.units = 1}(apart, context);
  }
};

TEST(OwnModel, TakesInputsByName) {
  Model model(Comparison{}, {Input{.shape = {3}, .name = "a"}, Input{.shape = {3}, .name = "b"}});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.trainable_variables().size(), 4u);  // one encoder for both
  const Literal a = Literal::filled(DType::f32, {4, 3}, 0.5),
                b = Literal::filled(DType::f32, {4, 3}, -0.5), y(DType::f32, {4, 1});
  const Logs logs = model.train_on_batch({{"b", b}, {"a", a}}, y);
  EXPECT_GT(log_value(logs, "distance"), 0);
  EXPECT_EQ(log_value(model.test_on_batch({{"a", a}, {"b", a}}, y), "distance"), 0);
}

// A step of its own, with a metric of its own; compile's step stands before it.
struct Penalized {
  Metric size = Mean{.name = "size"};

  Tensor call(const Tensor& x, CallContext& context) const {
    return Dense{.units = 3, .name = "logits"}(x, context);
  }
  StepLogs train_step(const Model& model, StepCall& step) const {
    GradientTape tape;
    const Tensor y = step.call(true).at(0);
    const Tensor loss = step.compute_loss() + 0.1 * mean(square(y));
    step.apply_gradients(tape.gradient(loss, model.trainable_variables()));
    size.update_state(square(y));
    StepLogs logs = step.compute_metrics();
    logs.emplace_back("size", size.result());
    return logs;
  }
  StepLogs test_step(const Model&, StepCall& step) const {
    return {{"largest", max(step.call(false).at(0))}};
  }
  std::vector<Metric> metrics() const { return {size}; }
};

TEST(OwnModel, HasStepsOfItsOwn) {
  const Arrays arrays = three_classes(24);
  Model model(Penalized{}, {Input{.shape = {6}}});
  model.compile(classes());
  const FitOptions fit{.epochs = 2, .batch_size = 8, .verbose = 0};
  const History history = model.fit(arrays.x, arrays.y, fit);
  EXPECT_TRUE(std::isfinite(history.last("size")));
  EXPECT_TRUE(std::isfinite(history.last("sparse_categorical_accuracy")));
  const Logs logs = model.evaluate(arrays.x, arrays.y, {.verbose = 0}).logs;
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].first, "largest");
  Model copy = model.clone();
  CompileOptions plain = classes();
  plain.test_step = [](const Model&, StepCall& step) -> StepLogs {
    return {{"least", min(step.call(false).at(0))}};
  };
  copy.compile(plain);
  EXPECT_EQ(copy.test_on_batch(arrays.x, arrays.y).front().first, "least");
  EXPECT_TRUE(std::isfinite(copy.fit(arrays.x, arrays.y, fit).last("size")));
}

struct Measured {
  bool looks_at_mask = false;

  Tensor call(const Tensor& x, CallContext& context) const {
    const Tensor rows = mean(x, {.axis = 1});
    if (looks_at_mask && context.sample_mask()) {
      const Tensor real = cast(*context.sample_mask(), DType::f32);
      context.add_metric(sum(rows * real) / sum(real), "mean_input");
    } else {
      context.add_metric(mean(rows), "mean_input");
    }
    return Dense{.units = 3, .name = "logits"}(x, context);
  }
};

// The mean over the samples of the epoch: a short last batch counts less, and its padding nothing.
TEST(AddMetric, IsTheMeanOverSamples) {
  const Arrays arrays = three_classes(21);
  double wanted = 0;
  for (int64_t i = 0; i < arrays.x.size(); ++i)
    wanted += arrays.x.number_at(i) / static_cast<double>(arrays.x.size());
  for (const bool looks_at_mask : {true, false}) {
    Model model(Measured{.looks_at_mask = looks_at_mask}, {Input{.shape = {6}}});
    model.compile(classes());
    const History history =
        model.fit(arrays.x, arrays.y,
                  {.epochs = 2,
                   .batch_size = 8,
                   .callbacks = {EarlyStopping{.monitor = "mean_input", .mode = MonitorMode::min}},
                   .verbose = 0});
    EXPECT_NEAR(history.last("mean_input"), wanted, 1e-5);
    const Logs logs = model.evaluate(arrays.x, arrays.y, {.batch_size = 8, .verbose = 0}).logs;
    EXPECT_NEAR(log_value(logs, "mean_input"), wanted, 1e-5);
    EXPECT_EQ(logs.back().first, "mean_input");
  }
}

struct AddsRows {
  Tensor call(const Tensor& x, CallContext& context) const {
    context.add_metric(mean(x, {.axis = 1}), "rows");
    return x;
  }
};

TEST(AddMetric, TakesScalars) {
  EXPECT_THROW(Model(AddsRows{}, {Input{.shape = {6}}}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
