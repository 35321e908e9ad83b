// fit, evaluate and predict on arrays in memory: weights, several inputs and outputs, validation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/nn.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

// Predicts its input, whatever it is trained with.
Model identity_model(Shape shape, ModelLoss loss) {
  Model model = Sequential({Input{.shape = shape}, Dense{.units = shape[shape.rank() - 1],
                                                         .kernel_initializer = Identity{}}});
  model.compile({.optimizer = SGD{.learning_rate = 0.0}, .loss = std::move(loss)});
  return model;
}

// Logits of six samples in three classes, and their cross-entropies by hand.
const float logits[6][3] = {{2, 0, 1}, {0, 1, 0}, {-1, 0, 1}, {3, 1, 0}, {0, 0, 0}, {1, 2, -1}};
const int64_t classes[6] = {0, 2, 2, 1, 0, 1};

Literal logits_array() { return Literal::from(std::span<const float>(&logits[0][0], 18), {6, 3}); }
Literal class_array() { return Literal::from(std::span<const int64_t>(classes), {6}); }
Literal one_hot_array() {
  Literal result = Literal::zeros(DType::f32, {6, 3});
  for (size_t i = 0; i < 6; ++i)
    result.mutable_data<float>()[i * 3 + static_cast<size_t>(classes[i])] = 1;
  return result;
}

double crossentropy(size_t i) {
  double total = 0;
  for (const float logit : logits[i]) total += std::exp(logit);
  return std::log(total) - logits[i][classes[i]];
}

double weighted_mean(const std::vector<double>& weights) {
  double total = 0;
  for (size_t i = 0; i < 6; ++i) total += weights[i] * crossentropy(i);
  return total / 6;
}

// As a table's column does.
struct StandsForAnArray {
  operator const Literal&() const { return array; }
  Literal array;
};

TEST(ArrayInput, VectorsAndWhatStandsForAnArrayAreArrays) {
  Model model = identity_model({3}, SparseCategoricalCrossentropy{.from_logits = true});
  const auto loss = [&](const ModelArrays& x, const ModelArrays& y) {
    return model.evaluate(x, y, {.verbose = 0})["loss"];
  };
  const double expected = loss(logits_array(), class_array());
  EXPECT_NEAR(expected, weighted_mean({1, 1, 1, 1, 1, 1}), 1e-6);
  const std::vector<int64_t> labels(std::begin(classes), std::end(classes));
  EXPECT_EQ(loss(logits_array(), labels), expected);
  EXPECT_EQ(loss(StandsForAnArray{logits_array()}, StandsForAnArray{class_array()}), expected);
  EXPECT_EQ(loss({StandsForAnArray{logits_array()}}, {labels}), expected);
}

TEST(ArrayInput, WeightsCountInTheLossOfTraining) {
  const std::map<int64_t, double> by_class = {{0, 2.0}, {2, 0.5}};
  const Literal by_sample = Literal::of<float>({1, 3, 0, 2, 5, 0.5});
  struct Row {
    const char* what;
    FitOptions options;
    std::vector<double> weights;
  };
  const Row table[] = {
      {"none", {}, {1, 1, 1, 1, 1, 1}},
      {"by class", {.class_weight = by_class}, {2, 0.5, 0.5, 1, 2, 1}},
      {"by sample", {.sample_weight = by_sample}, {1, 3, 0, 2, 5, 0.5}},
      {"both", {.class_weight = by_class, .sample_weight = by_sample}, {2, 1.5, 0, 2, 10, 0.5}},
  };
  for (const Row& row : table) {
    for (const bool one_hot : {false, true}) {
      for (const int64_t batch : {6, 4}) {  // whole, and padded to four
        Model model = one_hot
                          ? identity_model({3}, CategoricalCrossentropy{.from_logits = true})
                          : identity_model({3}, SparseCategoricalCrossentropy{.from_logits = true});
        FitOptions options = row.options;
        options.batch_size = batch;
        options.verbose = 0;
        const Literal y = one_hot ? one_hot_array() : class_array();
        const History history = model.fit(logits_array(), y, options);
        EXPECT_NEAR(history.last("loss"), weighted_mean(row.weights), 1e-5)
            << row.what << (one_hot ? ", one-hot" : "") << ", batches of " << batch;
        EXPECT_NEAR(model.evaluate(logits_array(), y, {.verbose = 0})["loss"],
                    weighted_mean({1, 1, 1, 1, 1, 1}), 1e-5);
      }
    }
  }
}

TEST(ArrayInput, ClassWeightsWorkForDatasetsAndManySteps) {
  const Example arrays{{"x", logits_array()},
                       {"y", class_array().reshape({6, 1})},
                       {"sample_weight", Literal::of<float>({1, 3, 0, 2, 5, 0.5})}};
  const Example without{{"x", arrays["x"]}, {"y", arrays["y"]}};
  for (const int64_t steps : {1, 3}) {
    Model model = identity_model({3}, {});
    model.compile({.optimizer = SGD{.learning_rate = 0.0},
                   .loss = SparseCategoricalCrossentropy{.from_logits = true},
                   .steps_per_execution = steps});
    const FitOptions options{.class_weight = {{0, 2.0}, {2, 0.5}}, .verbose = 0};
    const auto loss = [&](const Example& elements) {
      return model.fit(data::from_tensor_slices(elements).batch(2), options).last("loss");
    };
    EXPECT_NEAR(loss(arrays), weighted_mean({2, 1.5, 0, 2, 10, 0.5}), 1e-5);
    EXPECT_NEAR(loss(without), weighted_mean({2, 0.5, 0.5, 1, 2, 1}), 1e-5);
  }
}

TEST(ArrayInput, SampleWeightsOfTimeSteps) {
  // Two sequences of three steps; class weights and sample weights per step.
  const Literal x = logits_array().reshape({2, 3, 3}), y = class_array().reshape({2, 3});
  Model model = identity_model({3, 3}, SparseCategoricalCrossentropy{.from_logits = true});
  const Literal per_step = Literal::of<float>({{1, 3, 0}, {2, 5, 0.5}});
  const Literal per_sequence = Literal::of<float>({2, 0.5});
  const auto loss = [&](const FitOptions& options) {
    return model.fit(x, y, options).last("loss");
  };
  EXPECT_NEAR(loss({.sample_weight = per_step, .verbose = 0}), weighted_mean({1, 3, 0, 2, 5, 0.5}),
              1e-5);
  EXPECT_NEAR(loss({.sample_weight = per_sequence, .verbose = 0}),
              weighted_mean({2, 2, 2, 0.5, 0.5, 0.5}), 1e-5);
  EXPECT_NEAR(loss({.class_weight = {{0, 2.0}}, .sample_weight = per_sequence, .verbose = 0}),
              weighted_mean({4, 2, 2, 0.5, 1, 0.5}), 1e-5);
}

TEST(ArrayInput, WeightedMetricsOfTimeStepsMayBePadded) {
  Model model =
      Sequential({Input{.shape = {2, 1}}, Dense{.units = 1, .kernel_initializer = Identity{}}});
  model.compile({.optimizer = "sgd", .loss = "mse", .weighted_metrics = {"mae"}});
  const Literal x = Literal::from<float>({1, 2, 3, 4, 5, 6}, {3, 2, 1});
  const Literal y = Literal::zeros(DType::f32, {3, 2, 1});
  const Literal weights = Literal::of<float>({{1, 0}, {0, 1}, {2, 0}});
  for (const int64_t batch : {3, 2}) {  // whole, and padded
    const Evaluation result =
        model.evaluate(x, y, {.batch_size = batch, .sample_weight = weights, .verbose = 0});
    EXPECT_NEAR(result["mae"], (1 + 4 + 2 * 5) / 4.0, 1e-6) << batch;
  }
}

// first = a + 2 b, second = a - b.
Model two_sided_model() {
  const Symbol a = input({.shape = {1}, .name = "a"}), b = input({.shape = {1}, .name = "b"});
  const Initializer one = Ones{};
  const auto linear = [&](const char* name) {
    return Dense{.units = 1, .use_bias = false, .kernel_initializer = one, .name = name};
  };
  Model model({a, b}, {linear("first")(a + 2 * b), linear("second")(a - b)});
  model.compile({.optimizer = SGD{.learning_rate = 0.0}, .loss = "mse"});
  return model;
}

TEST(ArrayInput, SeveralInputsAndOutputsInOrderOrByName) {
  const Literal a = Literal::of<float>({{1}, {2}, {3}}), b = Literal::of<float>({{10}, {20}, {30}});
  const Literal first = Literal::of<float>({{21}, {42}, {63}}),
                second = Literal::of<float>({{-9}, {-18}, {-27}});
  const Literal off = Literal::of<float>({{23}, {44}, {65}});  // first, each 2 too much
  Model model = two_sided_model();
  const auto loss = [&](const ModelArrays& x, const ModelArrays& y) {
    return model.evaluate(x, y, {.verbose = 0})["loss"];
  };
  EXPECT_NEAR(loss({a, b}, {first, second}), 0, 1e-6);
  EXPECT_NEAR(loss({a, b}, {off, second}), 4, 1e-5);
  EXPECT_NEAR(loss({{"b", b}, {"a", a}}, {{"second", second}, {"first", off}}), 4, 1e-5);
  EXPECT_NEAR(loss({a, b}, {{"second", second}, {"first", first}}), 0, 1e-6);
  const History history =
      model.fit({a, b}, {off, second},
                {.validation_data = {{{"a", a}, {"b", b}}, {first, second}}, .verbose = 0});
  EXPECT_NEAR(history.last("loss"), 4, 1e-5);
  EXPECT_NEAR(history.last("val_loss"), 0, 1e-6);
  const auto by_name =
      data::from_tensor_slices({{"second", second}, {"b", b}, {"first", first}, {"a", a}}).batch(2);
  EXPECT_NEAR(model.evaluate(by_name, {.verbose = 0})["loss"], 0, 1e-6);
  const Example outputs = model.predict_outputs({a, b}, {.batch_size = 2});
  EXPECT_EQ(outputs.names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(outputs["first"], first);
  EXPECT_EQ(outputs["second"], second);
}

// What a tokenizer makes, say: named arrays of which a model takes some.
struct Encoded {
  Example arrays;
  operator Example() const { return arrays; }  // NOLINT: as BatchEncoding does
};
// As prepare_dataset gives.
struct Prepared {
  data::Dataset dataset;
  operator const data::Dataset&() const { return dataset; }  // NOLINT
};

TEST(ArrayInput, OfWhatATokenizerMadeAModelTakesItsInputs) {
  const Literal x = Literal::of<float>({{1}, {2}});
  const Symbol input_a = input({.shape = {1}, .name = "a"}),
               input_b = input({.shape = {1}, .name = "b"});
  Model both({input_a, input_b}, Add{}({input_a, input_b}));
  both.compile({.optimizer = SGD{}, .loss = "mse"});
  const Encoded three{{{"c", x}, {"b", x}, {"a", x}}};
  EXPECT_EQ(both.predict(three), Literal::of<float>({{2}, {4}}));
  expect_parts(error_of([&] { both.predict(Example(three)); }), {"c, b, a", "a, b"});
  expect_parts(error_of([&] { both.predict(Encoded{{{"c", x}, {"b", x}}}); }), {"c, b", "a, b"});
  const std::vector<float> labels = {2, 4};
  const Prepared prepared{data::from_tensor_slices({{"a", x}, {"b", x}, {"y", labels}}).batch(2)};
  for (const ValidationData& validation :
       {ValidationData(prepared), ValidationData(three, labels)}) {
    const History history = both.fit(three, labels, {.validation_data = validation, .verbose = 0});
    EXPECT_NEAR(history.last("val_loss"), 0, 1e-6);
  }
}

// Losses are off by 2 and by 3: squared, 4 and 9.
TEST(ArrayInput, EachOutputMayHaveWeightsOfItsOwn) {
  const Literal a = Literal::of<float>({{1}, {2}, {3}}), b = Literal::of<float>({{10}, {20}, {30}});
  const Literal first = Literal::of<float>({{23}, {44}, {65}});
  const Literal second = Literal::of<float>({{-6}, {-15}, {-24}});
  const Literal one = Literal::of<float>({1, 0, 2}), other = Literal::of<float>({0, 3, 1});
  Model model = two_sided_model();
  model.compile({.optimizer = SGD{.learning_rate = 0.0},
                 .loss = "mse",
                 .metrics = {},
                 .weighted_metrics = {"mae"}});
  struct Row {
    ModelArrays weights;
    double of_first, of_second;  // their sums
  };
  const Row table[] = {{{}, 3, 3},
                       {one, 3, 3},
                       {other, 4, 4},
                       {{one, other}, 3, 4},
                       {{{"second", one}, {"first", other}}, 4, 3}};
  for (const Row& row : table) {
    for (const int64_t batch : {3, 2}) {  // whole, and padded
      const double wanted = (4 * row.of_first + 9 * row.of_second) / 3;
      const ModelArrays x{a, b}, y{first, second};
      const History history = model.fit(x, y,
                                        {.batch_size = batch,
                                         .validation_data = {x, y, row.weights},
                                         .sample_weight = row.weights,
                                         .verbose = 0});
      EXPECT_NEAR(history.last("loss"), wanted, 1e-5);
      EXPECT_NEAR(history.last("val_loss"), wanted, 1e-5);
      const Evaluation seen =
          model.evaluate(x, y, {.batch_size = batch, .sample_weight = row.weights, .verbose = 0});
      EXPECT_NEAR(seen["loss"], wanted, 1e-5);
    }
  }
  // In a dataset by their names, or after the labels.
  const auto loss = [&](const Example& columns) {
    return model.evaluate(data::from_tensor_slices(columns).batch(2), {.verbose = 0})["loss"];
  };
  EXPECT_NEAR(loss({{"sample_weight/second", other},
                    {"a", a},
                    {"b", b},
                    {"first", first},
                    {"second", second},
                    {"sample_weight/first", one}}),
              (4 * 3 + 9 * 4) / 3.0, 1e-5);
  EXPECT_NEAR(loss({{"a", a}, {"b", b}, {"y", first}, {"z", second}, {"v", one}, {"w", other}}),
              (4 * 3 + 9 * 4) / 3.0, 1e-5);
  const std::string lacks = message_of([&] {
    loss({{"a", a}, {"b", b}, {"first", first}, {"second", second}, {"sample_weight/first", one}});
  });
  expect_parts(lacks, {"have sample_weight/first", "sample_weight/first, sample_weight/second",
                       "sample_weight for all outputs"});
  const std::string three = message_of([&] {
    model.fit({a, b}, {first, second}, {.sample_weight = {one, one, one}, .verbose = 0});
  });
  expect_parts(three,
               {"was given 3 arrays for the sample weights of the outputs", "first, second"});
}

TEST(ArrayInput, ValidatesWithArraysAndTheirWeights) {
  Model model = identity_model({3}, SparseCategoricalCrossentropy{.from_logits = true});
  const Literal x = logits_array(), y = class_array();
  const Literal weights = Literal::of<float>({1, 3, 0, 2, 5, 0.5});
  const auto val_loss = [&](ValidationData data) {
    return model
        .fit(x, y,
             {.epochs = 4,
              .validation_data = std::move(data),
              .validation_batch_size = 4,
              .validation_freq = 3,
              .verbose = 0})
        .history.at("val_loss");
  };
  const double plain = weighted_mean({1, 1, 1, 1, 1, 1});
  ASSERT_EQ(val_loss({x, y}).size(), 1u);  // in the third epoch
  EXPECT_NEAR(val_loss({x, y}).front(), plain, 1e-5);
  EXPECT_NEAR(val_loss({x, y, weights}).front(), weighted_mean({1, 3, 0, 2, 5, 0.5}), 1e-5);
  EXPECT_NEAR(val_loss(data::from_tensor_slices(std::pair(x, y)).batch(3)).front(), plain, 1e-5);
}

TEST(ArrayInput, TheSplitTakesTheLastSamplesBeforeShuffling) {
  Model model = identity_model({3}, SparseCategoricalCrossentropy{.from_logits = true});
  // Only the last two samples, which are held back, weigh anything in validation.
  const Literal x = logits_array(), y = class_array();
  const Literal weights = Literal::of<float>({1, 1, 1, 1, 4, 2});
  const History history = model.fit(
      x, y, {.validation_split = 0.4, .sample_weight = weights, .verbose = 0});  // floor(3.6) = 3
  EXPECT_EQ(history.samples, 3);
  const double trained = (crossentropy(0) + crossentropy(1) + crossentropy(2)) / 3;
  const double held_back = (crossentropy(3) + 4 * crossentropy(4) + 2 * crossentropy(5)) / 3;
  EXPECT_NEAR(history.last("loss"), trained, 1e-5);
  EXPECT_NEAR(history.last("val_loss"), held_back, 1e-5);
  const History other =
      model.fit(x, y, {.validation_data = {x, y}, .validation_split = 0.4, .verbose = 0});
  EXPECT_EQ(other.samples, 6);  // validation_data takes precedence
}

TEST(ArrayInput, ShuffleIsOnUnlessToldOtherwise) {
  // With one sample a step the losses of the steps tell their order.
  Model model = identity_model({1}, "mae");
  Literal x(DType::f32, {64, 1});
  for (size_t i = 0; i < 64; ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
  const Literal y = Literal::zeros(DType::f32, {64, 1});
  const auto order = [&](bool shuffle) {
    return model.fit(x, y, {.batch_size = 1, .shuffle = shuffle, .verbose = 0}).step_losses;
  };
  const std::vector<float> plain = order(false);
  EXPECT_TRUE(std::is_sorted(plain.begin(), plain.end()));
  std::vector<float> shuffled = order(true);
  EXPECT_NE(shuffled, plain);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, plain);
}

TEST(ArrayInput, ArraysStartAgainWhereStepsPerEpochAsksForMore) {
  Model model = identity_model({3}, SparseCategoricalCrossentropy{.from_logits = true});
  const History history = model.fit(
      logits_array(), class_array(),
      {.epochs = 5, .batch_size = 2, .steps_per_epoch = 4, .initial_epoch = 2, .verbose = 0});
  EXPECT_EQ(history.epoch, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(history.step_losses.size(), 12u);
}

TEST(ArrayInput, SaysThatNoEpochIsLeft) {
  Model model = identity_model({3}, "mse");
  const CaughtLog log;
  model.fit(logits_array(), logits_array(), {.epochs = 3, .initial_epoch = 3, .verbose = 0});
  EXPECT_NE(log.lines().find("no epoch to run: epochs = 3, initial_epoch = 3"), std::string::npos)
      << log.lines();
}

TEST(ArrayInput, WhatDoesNotGoTogetherIsNamed) {
  const Literal x = logits_array(), y = class_array(), a = Literal::zeros(DType::f32, {4, 1});
  const Literal weights = Literal::of<float>({1, 2, 3});
  const data::Dataset dataset = data::from_tensor_slices(std::pair(x, y)).batch(3);
  Model one = identity_model({3}, SparseCategoricalCrossentropy{.from_logits = true});
  Model two = two_sided_model();
  const auto on_arrays = [&](FitOptions options) { one.fit(x, y, options); };
  const auto on_dataset = [&](FitOptions options) { one.fit(dataset, options); };
  struct Row {
    std::function<void()> call;
    std::vector<std::string> parts;
  };
  const Row table[] = {
      {[&] { on_dataset({.batch_size = 3}); }, {"a Dataset and batch_size", "dataset.batch(3)"}},
      {[&] { on_dataset({.validation_split = 0.5}); }, {"validation_split", "dataset.skip(n)"}},
      {[&] { on_dataset({.sample_weight = weights}); },
       {"sample_weight", "component \"sample_weight\""}},
      {[&] { one.evaluate(dataset, {.sample_weight = weights}); },
       {"evaluate was given a Dataset and sample_weight"}},
      {[&] { one.predict(dataset, {.batch_size = 2}); }, {"predict was given a Dataset"}},
      {[&] { on_arrays({.sample_weight = weights}); },
       {"fit was given 'sample_weight' of shape (3,) beside 'x' of shape (6, 3)"}},
      {[&] { on_arrays({.batch_size = 0}); }, {"batch_size = 0, expected 1 or more"}},
      {[&] { on_arrays({.validation_split = 0.9999}); },
       {"validation_split = 0.9999 of 6 samples leaves none to train with"}},
      {[&] {
         on_arrays({.validation_data = {x, weights}});
       },
       {"validation was given 'y' of shape (3,) beside 'x'"}},
      {[&] {
         on_arrays({.class_weight = {{3, 1.0}}});
       },
       {"fit: class_weight names class 3, expected 0 to 2", "array_input_test.cc"}},
      {[&] {
         on_arrays({.class_weight = {{0, NAN}}});
       },
       {"class_weight of class 0 is nan"}},
      {[&] { on_arrays({.initial_epoch = -1}); }, {"initial_epoch = -1"}},
      {[&] {
         one.fit({x, x}, y);
       },
       {"fit was given 2 arrays for the inputs, expected one for each input of the model"}},
      {[&] {
         one.predict(Example{{"ids", x}, {"mask", x}});
       },
       {"for the inputs ids, mask", "x[\"ids\"]", "name the input after it"}},
      {[&] {
         two.fit(a, {a, a});
       },
       {"1 array for the inputs", "a, b", "{a, b}, or by name"}},
      {[&] {
         two.fit({{"a", a}, {"c", a}}, {a, a});
       },
       {"for the inputs a, c", "model: a, b"}},
      {[&] {
         two.fit({a, a}, a);
       },
       {"1 array for the outputs", "first, second"}},
      {[&] {
         two.fit({a, a}, {a, a}, {.class_weight = {{0, 2.0}}});
       },
       {"class_weight for a model with 2 outputs", "loss_weights"}},
      {[&] {
         two.predict({a, a});
       },
       {"2 outputs", "predict_outputs"}},
      {[&] { one.fit(x.rows(0, 0), y.rows(0, 0)); }, {"'x' of shape (0, 3)", "at least one"}},
  };
  for (const Row& row : table) {
    const std::string message = message_of<InvalidArgument>(row.call);
    for (const std::string& part : row.parts) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in:\n" << message;
    }
  }
}

TEST(ArrayInput, ClassWeightsWantClasses) {
  Model model = identity_model({1}, "mse");
  const Literal x = Literal::of<float>({{1}, {2}}), y = Literal::of<float>({{0.5}, {1}});
  const std::string message = message_of<InvalidArgument>([&] {
    model.fit(x, y, {.class_weight = {{1, 2.0}}, .verbose = 0});
  });
  EXPECT_NE(message.find("class_weight with label 0.5 in 'y'"), std::string::npos) << message;
}

TEST(ArrayInput, CoresChangeNothingUnderWeights) {
  std::vector<std::vector<float>> losses;
  for (const int cores : {1, 8}) {
    TPUClusterResolver resolver("v3-8", {.cores = cores});
    initialize_tpu_system(resolver);
    const TPUStrategy strategy(resolver);
    Model model = strategy.scope(
        [] { return identity_model({3}, SparseCategoricalCrossentropy{.from_logits = true}); });
    model.compile({.optimizer = SGD{.learning_rate = 0.1},
                   .loss = SparseCategoricalCrossentropy{.from_logits = true}});
    losses.push_back(model
                         .fit(logits_array(), class_array(),
                              {.epochs = 3,
                               .batch_size = 4,
                               .shuffle = false,
                               .class_weight = {{0, 2.0}, {2, 0.5}},
                               .sample_weight = Literal::of<float>({1, 3, 0, 2, 5, 0.5}),
                               .verbose = 0})
                         .step_losses);
  }
  ASSERT_EQ(losses[0].size(), losses[1].size());
  for (size_t i = 0; i < losses[0].size(); ++i) EXPECT_NEAR(losses[0][i], losses[1][i], 1e-5) << i;
}

}  // namespace
}  // namespace systolic
