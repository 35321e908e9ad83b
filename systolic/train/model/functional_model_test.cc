// Models with several inputs and outputs, shared layers and clones, through fit and evaluate.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

constexpr int64_t rows = 24;

// Two inputs through one shared layer; the sum and the difference are learned.
Model two_sided_model() {
  set_seed(3);
  const Symbol left = input({.shape = {2}, .name = "left"});
  const Symbol right = input({.shape = {2}, .name = "right"});
  const Layer shared = Dense{.units = 4, .activation = "tanh", .name = "shared"};
  const Symbol a = shared(left), b = shared(right);
  Model model({left, right}, {Dense{.units = 1, .name = "sum"}(Concatenate{}({a, b})),
                              Dense{.units = 1, .name = "difference"}(a - b)});
  model.compile({.optimizer = Adam{.learning_rate = 0.05}, .loss = "mse"});
  return model;
}

Literal column(const Literal& left, const Literal& right, double sign) {
  Literal result(DType::f32, {rows, 1});
  for (int64_t i = 0; i < rows; ++i) {
    result.mutable_data<float>()[static_cast<size_t>(i)] =
        static_cast<float>(left.number_at(2 * i) + sign * right.number_at(2 * i));
  }
  return result;
}

data::Dataset two_sided_data() {
  const Literal left = host_normal({rows, 2}, 0, 0.5, 1), right = host_normal({rows, 2}, 0, 0.5, 2);
  Example arrays{{"right", right},
                 {"left", left},
                 {"total", column(left, right, 1)},
                 {"gap", column(left, right, -1)}};
  return data::from_tensor_slices(arrays).batch(8);
}

TEST(FunctionalModel, LearnsFromSeveralInputsByNameAndSeveralOutputs) {
  Model model = two_sided_model();
  const data::Dataset data = two_sided_data();
  const double before = model.evaluate(data, {.verbose = 0})["loss"];
  model.fit(data, {.epochs = 60, .verbose = 0});
  const double after = model.evaluate(data, {.verbose = 0})["loss"];
  EXPECT_LT(after, before / 10) << "before: " << before;
}

TEST(FunctionalModel, TheLossIsTheSumOverTheOutputs) {
  Model model = two_sided_model();
  const Literal left = host_normal({rows, 2}, 0, 0.5, 1), right = host_normal({rows, 2}, 0, 0.5, 2);
  const std::vector<Tensor> outputs = model.network().outputs({Tensor(left), Tensor(right)});
  const Literal wanted[] = {column(left, right, 1), column(left, right, -1)};
  double loss = 0;
  for (size_t output = 0; output < 2; ++output) {
    const Literal got = outputs[output].literal();
    for (int64_t i = 0; i < rows; ++i) {
      const double off = got.number_at(i) - wanted[output].number_at(i);
      loss += off * off / rows;
    }
  }
  EXPECT_NEAR(model.evaluate(two_sided_data(), {.verbose = 0})["loss"], loss, 1e-5);
}

TEST(FunctionalModel, ACloneTrainsAlikeAndByItself) {
  Model model = two_sided_model();
  Model clone = model.clone();
  clone.compile({.optimizer = Adam{.learning_rate = 0.05}, .loss = "mse"});
  const std::vector<Literal> start = model.get_weights();
  const History first = model.fit(two_sided_data(), {.epochs = 2, .verbose = 0});
  EXPECT_EQ(clone.get_weights(), start);
  const History second = clone.fit(two_sided_data(), {.epochs = 2, .verbose = 0});
  EXPECT_EQ(first.step_losses, second.step_losses);
  EXPECT_EQ(clone.get_weights(), model.get_weights());
}

TEST(FunctionalModel, RegularizersAddToTheLoss) {
  set_seed(9);
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 2,
                                                       .kernel_regularizer = {.l1 = 0.1, .l2 = 0.2},
                                                       .activity_regularizer = {.l2 = 0.3}}});
  model.compile({.optimizer = SGD{.learning_rate = 0.0}, .loss = "mse"});
  const Literal x = host_normal({6, 2}, 0, 1, 3), y = model.predict(x);
  double wanted = 0;
  const Literal kernel = model.get_weights().at(0);
  for (int64_t i = 0; i < kernel.size(); ++i) {
    wanted += 0.1 * std::abs(kernel.number_at(i)) + 0.2 * std::pow(kernel.number_at(i), 2);
  }
  for (int64_t i = 0; i < y.size(); ++i) wanted += 0.3 * std::pow(y.number_at(i), 2) / 6;
  const History history = model.fit(x, y, {.batch_size = 6, .shuffle = false, .verbose = 0});
  EXPECT_NEAR(history.step_losses.at(0), wanted, 1e-5);
  EXPECT_NEAR(model.evaluate(x, y, {.batch_size = 6, .verbose = 0})["loss"], wanted, 1e-5);
}

// With x = 1: mse (2 * 2)^2, and 0.5 * 2^2 once; d/dw (w^4 + 0.5 w^2) = 34.
TEST(FunctionalModel, ASharedLayerIsPenalizedOnceAndAFrozenOneNot) {
  const Literal x = Literal::filled(DType::f32, {4, 1}, 1.0),
                y = Literal::zeros(DType::f32, {4, 1});
  const Symbol in = input({.shape = {1}});
  const Layer twice = Dense{.units = 1,
                            .use_bias = false,
                            .kernel_initializer = Constant{.value = 2},
                            .kernel_regularizer = {.l2 = 0.5}};
  Model model(in, twice(twice(in)));
  const auto loss = [&] {
    model.compile({.optimizer = SGD{.learning_rate = 0.001}, .loss = "mse"});
    return model.evaluate(x, y, {.verbose = 0})["loss"];
  };
  EXPECT_NEAR(loss(), 18, 1e-5);
  model.fit(x, y, {.verbose = 0});
  EXPECT_NEAR(model.get_weights()[0].number_at(0), 2 - 0.034, 1e-5);
  twice.set_trainable(false);
  EXPECT_NEAR(loss(), std::pow(2 - 0.034, 4), 1e-4);
}

TEST(FunctionalModel, EachOutputMayHaveItsLossAndItsWeight) {
  Model model = two_sided_model();
  const auto loss_under = [&](ModelLoss loss, std::vector<double> weights) {
    model.compile(
        {.optimizer = "sgd", .loss = std::move(loss), .loss_weights = std::move(weights)});
    return model.evaluate(two_sided_data(), {.verbose = 0})["loss"];
  };
  const double squares = loss_under({"mse", "mae"}, {1, 0});
  const double magnitudes = loss_under({"mse", "mae"}, {0, 1});
  EXPECT_NEAR(loss_under({"mse", "mae"}, {}), squares + magnitudes, 1e-5);
  EXPECT_NEAR(loss_under({"mse", "mae"}, {2, 0.5}), 2 * squares + 0.5 * magnitudes, 1e-5);
  EXPECT_NEAR(loss_under("mse", {1, 0}), squares, 1e-6);
  EXPECT_THROW(loss_under({"mse", "mae", "mse"}, {}), InvalidArgument);
}

std::vector<std::string> names_in(const Logs& logs) {
  std::vector<std::string> names;
  for (const auto& entry : logs) names.push_back(entry.first);
  return names;
}

// As Keras 3.15 names them and weighs them: not at all.
TEST(FunctionalModel, LogsHoldTheLossOfEachOutput) {
  Model model = two_sided_model();
  model.compile({.optimizer = "sgd",
                 .loss = {"mse", "mae"},
                 .loss_weights = {2, 0.5},
                 .output_metrics = {{"mse"}, {"mae"}}});
  const Evaluation result = model.evaluate(two_sided_data(), {.verbose = 0});
  EXPECT_EQ(names_in(result.logs), (std::vector<std::string>{"loss", "sum_loss", "difference_loss",
                                                             "sum_mse", "difference_mae"}));
  EXPECT_NEAR(result["sum_loss"], result["sum_mse"], 1e-6);
  EXPECT_NEAR(result["difference_loss"], result["difference_mae"], 1e-6);
  EXPECT_NEAR(result["loss"], 2 * result["sum_loss"] + 0.5 * result["difference_loss"], 1e-5);
  const History history =
      model.fit(two_sided_data(), {.epochs = 2, .validation_data = two_sided_data(), .verbose = 0});
  EXPECT_EQ(history.history.at("sum_loss").size(), 2u);
  EXPECT_EQ(history.history.at("val_difference_loss").size(), 2u);

  Model one = Sequential({Input{.shape = {2}}, Dense{.units = 1}});
  one.compile({.loss = "mse"});
  const Literal x = host_normal({rows, 2}, 0, 1, 7), y = host_normal({rows, 1}, 0, 1, 8);
  EXPECT_EQ(names_in(one.evaluate(x, y, {.verbose = 0}).logs), std::vector<std::string>{"loss"});
}

TEST(FunctionalModel, OneInputOrOutputNeedsNoBraces) {
  const Symbol a = input({.shape = {2}}), b = input({.shape = {2}});
  const Symbol sum = Add{}({a, b}), gap = a - b;
  EXPECT_EQ(Model({a, b}, sum).network().input_ports().size(), 2u);
  const Symbol doubled = Dense{.units = 2}(a), halved = Dense{.units = 1}(a);
  EXPECT_EQ(Model(a, {doubled, halved}).network().output_ports().size(), 2u);
  EXPECT_EQ(Model({a}, {doubled}).network().output_ports().size(), 1u);
  EXPECT_EQ(Model({a, b}, {sum, gap}).network().output_ports().size(), 2u);
}

TEST(FunctionalModel, EachOutputMayHaveItsMetrics) {
  Model model = two_sided_model();
  model.compile({.optimizer = "sgd",
                 .loss = "mse",
                 .metrics = {"mae"},
                 .output_metrics = {{"mae"}, {"mae", "mse"}}});
  const Evaluation result = model.evaluate(two_sided_data(), {.verbose = 0});
  EXPECT_EQ(result.logs.size(), 7u);
  EXPECT_NEAR(result["mae"], result["sum_mae"], 1e-6);
  EXPECT_GT(std::abs(result["sum_mae"] - result["difference_mae"]), 1e-3);
  model.compile({.optimizer = "sgd", .loss = {"mae", "mse"}, .output_metrics = {{}, {"mse"}}});
  const Evaluation second = model.evaluate(two_sided_data(), {.verbose = 0});
  EXPECT_NEAR(second["loss"], result["sum_mae"] + second["difference_mse"], 1e-5);
}

// Keras's dicts: the order in which they are written counts nothing.
TEST(FunctionalModel, LossesWeightsAndMetricsByTheOutputsNames) {
  Model model = two_sided_model();
  const auto evaluate = [&](CompileOptions options) {
    model.compile(std::move(options));
    return model.evaluate(two_sided_data(), {.verbose = 0});
  };
  const Evaluation in_order =
      evaluate({.loss = {"mae", "mse"},
                .loss_weights = {2, 0.5},
                .output_metrics = {{"mse"}, {"mae", RootMeanSquaredError{}}}});
  const Evaluation by_name =
      evaluate({.loss = {{"difference", "mse"}, {"sum", MeanAbsoluteError{}}},
                .metrics = {{"sum", "mse"}, {"difference", {"mae", RootMeanSquaredError{}}}},
                .loss_weights = {{"difference", 0.5}, {"sum", 2}}});
  EXPECT_EQ(by_name.logs, in_order.logs);
  EXPECT_EQ(names_in(by_name.logs),
            (std::vector<std::string>{"loss", "sum_loss", "difference_loss", "sum_mse",
                                      "difference_mae", "difference_root_mean_squared_error"}));
  // One output's weight and metrics alone.
  const Evaluation one = evaluate({.loss = "mse",
                                   .metrics = {{"difference", "mse"}},
                                   .loss_weights = {{"sum", 0}},
                                   .weighted_metrics = {{"difference", {"mse"}}}});
  EXPECT_NEAR(one["loss"], one["difference_mse"], 1e-6);
  EXPECT_NEAR(one["loss"], one["weighted_difference_mse"], 1e-6);

  Model single = Sequential({Input{.shape = {2}}, Dense{.units = 1, .name = "price"}});
  single.compile({.loss = {{"price", "mse"}}, .metrics = {{"price", {"mae"}}}});
  const Literal x = host_normal({rows, 2}, 0, 1, 7), y = host_normal({rows, 1}, 0, 1, 8);
  EXPECT_EQ(names_in(single.evaluate(x, y, {.verbose = 0}).logs),
            (std::vector<std::string>{"loss", "mae"}));
}

// Keras 3.15's values; a model of Keras's gives a dict of outputs for it.
TEST(FunctionalModel, OutputsWithoutALossNeedNoLabels) {
  const Symbol x = input({.shape = {2}, .name = "x"});
  Model model({x}, {Dense{.units = 1, .kernel_initializer = "ones", .name = "a"}(x),
                    Dense{.units = 1, .kernel_initializer = "ones", .name = "b"}(x)});
  const Literal rows_ = Literal::of<float>({{1, 2}, {3, 4}}), y = Literal::of<float>({{1}, {2}});
  const auto logs_of = [&](CompileOptions options, const ModelArrays& labels) {
    model.compile(std::move(options));
    model.fit({{"x", rows_}}, labels, {.batch_size = 2, .verbose = 0});
    return model.evaluate({{"x", rows_}}, labels, {.verbose = 0}).logs;
  };
  const auto options = [&](ModelLoss loss) {
    return CompileOptions{.optimizer = SGD{.learning_rate = 0.0}, .loss = std::move(loss)};
  };
  const Logs wanted{{"loss", 14.5}};
  EXPECT_EQ(logs_of(options({{"a", "mse"}}), {{"a", y}}), wanted);
  EXPECT_EQ(logs_of(options({{"b", "mse"}}), {{"b", y}}), wanted);
  // Labels of the other output are no matter.
  EXPECT_EQ(logs_of(options({{"b", "mse"}}), {{"a", rows_}, {"b", y}}), wanted);
  CompileOptions weighted = options({{"b", "mse"}});
  weighted.loss_weights = {{"b", 0.5}};
  EXPECT_EQ(logs_of(std::move(weighted), {{"b", y}}), (Logs{{"loss", 7.25}}));
  // An array without a name is that of the output that has a loss.
  EXPECT_EQ(logs_of(options({{"b", "mse"}}), y), wanted);
  // A metric of an output asks for its labels.
  CompileOptions measured = options({{"a", "mse"}});
  measured.metrics = {{"b", "mae"}};
  EXPECT_EQ(logs_of(std::move(measured), {{"a", y}, {"b", y}}),
            (Logs{{"loss", 14.5}, {"b_mae", 3.5}}));
  // In elements that do not name the outputs: the labels, then their weights.
  model.compile(options({{"b", "mse"}}));
  const Example weighed = {{"x", rows_}, {"y", y}, {"w", Literal::of<float>({0, 1})}};
  const data::Dataset tuples = data::from_tensor_slices(weighed);
  EXPECT_EQ(model.evaluate(tuples.batch(2), {.verbose = 0}).logs, (Logs{{"loss", 12.5}}));
  model.compile(options([](const Tensor& y_true, const Tensor& p) { return square(y_true - p); }));
  const auto message = message_of<InvalidArgument>([&] {
    model.evaluate({{"x", rows_}}, {{"a", y}}, {.verbose = 0});
  });
  EXPECT_CONTAINS(message, "one for each output of the model: a, b");
}

TEST(FunctionalModel, WhatCompileTakesForOutputsNamesTheOutputAndTheLine) {
  Model model = two_sided_model();
  Model chain = Sequential({Dense{.units = 1}});
  const struct {
    std::function<void()> compile;
    std::vector<std::string> parts;
  } cases[] = {
      {[&] {
         model.compile({.loss = {{"sum", "mse"}, {"gap", "mae"}}});
       },
       {"loss names the output 'gap'", "sum, difference"}},
      {[&] {
         model.compile({.loss = {{"sum", "mse"}, {"sum", "mae"}}});
       },
       {"loss names the output 'sum' twice"}},
      {[&] {
         model.compile({.loss = {"mse", "mae", "mse"}});
       },
       {"3 losses for a model with 2 outputs", "one for each output"}},
      {[&] {
         model.compile({.loss = "mse", .metrics = {{"gap", "mae"}}});
       },
       {"metrics names the output 'gap'"}},
      {[&] {
         model.compile({.loss = "mse", .weighted_metrics = {{"gap", {"mae"}}}});
       },
       {"weighted_metrics names the output 'gap'"}},
      {[&] {
         model.compile({.loss = "mse", .loss_weights = {{"gap", 1.0}}});
       },
       {"loss_weights names the output 'gap'"}},
      {[&] {
         model.compile({.loss = "mse", .loss_weights = {1, std::nan("")}});
       },
       {"a weight of loss_weights is nan", "finite"}},
      {[&] {
         model.compile({.loss = "mse", .output_metrics = {{}, {}, {"mse"}}});
       },
       {"output_metrics for 3 outputs, the model has 2"}},
      {[&] {
         chain.compile({.loss = {{"dense", "mse"}}});
       },
       {"a model that is not built", "put an Input in front"}},
  };
  const Evaluation before = model.evaluate(two_sided_data(), {.verbose = 0});
  for (const auto& [compile, parts] : cases) {
    const std::string message = error_of(compile);
    expect_parts(message, parts);
    expect_parts(message, {"functional_model_test.cc:"});
  }
  // What is known only when it is built.
  chain.compile({.loss = {"mse", "mae"}});
  const Literal x = host_normal({rows, 2}, 0, 1, 7), y = host_normal({rows, 1}, 0, 1, 8);
  expect_parts(error_of([&] { chain.fit(x, y, {.verbose = 0}); }),
               {"2 losses for a model with 1 output"});
  // The model is as it was.
  EXPECT_EQ(model.evaluate(two_sided_data(), {.verbose = 0}).logs, before.logs);
}

// A layer that gives the loss itself.
struct SquareLoss {
  static constexpr const char* kind = "SquareLoss";
  Tensor call(const Tensor& x, CallContext& context) const {
    context.add_loss(mean(square(x)));
    return x;
  }
};

TEST(FunctionalModel, WithoutALossTheLayersGiveIt) {
  set_seed(4);
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 2}, SquareLoss{}});
  model.compile({.optimizer = SGD{.learning_rate = 0.5}});
  const data::Dataset data =
      data::from_tensor_slices(host_normal({16, 2}, 0, 1, 5)).batch(8).repeat(20);
  const History history = model.fit(data, {.verbose = 0});
  EXPECT_LT(history.step_losses.back(), history.step_losses.front() / 10);
  Model without = Sequential({Input{.shape = {2}}, Dense{.units = 2}});
  without.compile({.optimizer = "sgd"});
  EXPECT_THROW(without.fit(data, {.verbose = 0}), FailedPrecondition);
}

TEST(FunctionalModel, IgnoredLabelsAreNotOutOfRange) {
  set_seed(4);
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 3}});
  const SparseCategoricalCrossentropy loss{.from_logits = true, .ignore_class = -1};
  model.compile({.optimizer = "sgd", .loss = loss});
  const Literal x = host_normal({4, 2}, 0, 1, 6), kept = Literal::of<int64_t>({0, 2});
  const double all =
      model.evaluate(x, Literal::of<int64_t>({0, 2, -1, -1}), {.verbose = 0})["loss"];
  EXPECT_NEAR(all, model.evaluate(x.rows(0, 2), kept, {.verbose = 0})["loss"], 1e-5);
  EXPECT_THROW(model.evaluate(x, Literal::of<int64_t>({0, 2, -2, 1}), {.verbose = 0}),
               InvalidArgument);
}

TEST(FunctionalModel, AMetricInCompileGivesOneValue) {
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1, .activation = "sigmoid"}});
  model.compile({.optimizer = "sgd",
                 .loss = "binary_crossentropy",
                 .metrics = {Precision{.thresholds = {0.2, 0.8}}}});
  const Literal x = host_normal({4, 2}, 0, 1, 6), y = Literal::of<float>({{1}, {0}, {0}, {1}});
  EXPECT_THROW(model.evaluate(x, y, {.verbose = 0}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
