// What users and their data get wrong: each is a message that says what, where, got and wanted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/callbacks/learning_rate_scheduler.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

// Row i holds (i, 1, 2, 3) and has label i % 3.
Example rows(int64_t count) {
  Literal x(DType::f32, {count, 4}), y(DType::i64, {count});
  auto values = x.mutable_data<float>();
  auto labels = y.mutable_data<int64_t>();
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t k = 0; k < 4; ++k)
      values[4 * i + k] = k == 0 ? 0.1f * static_cast<float>(i) : static_cast<float>(k);
    labels[i] = static_cast<int64_t>(i % 3);
  }
  return {{"x", x}, {"y", y}};
}

data::Dataset batches(int64_t count, int64_t size) {
  return data::from_tensor_slices(rows(count)).batch(size);
}

Model classifier() {
  set_seed(3);
  Model model = Sequential({Input{.shape = {4}}, Dense{.units = 3}});
  model.compile({.optimizer = SGD{.learning_rate = 0.1},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"sparse_categorical_accuracy"}});
  return model;
}

TEST(BadInput, DatasetsThatDoNotFitTheModel) {
  const Example good = rows(6);
  const auto mapped = [](auto change) { return batches(6, 3).map(change); };
  const Literal text = Literal::strings({"a", "b", "c"});
  struct Row {
    data::Dataset dataset;
    std::vector<std::string> parts;
  };
  const Row table[] = {
      {batches(6, 3).take(0), {"InvalidArgument: fit", "without a single batch", "take_me_here"}},
      {data::from_tensor_slices(good), {"batch axis", "batch() the dataset"}},
      {data::from_tensor_slices({{"x", good["x"]}, {"y", std::vector<int32_t>(6)}}),
       {"{x: f32(4,), y: i32()}", "'y' is that of one sample", "dataset.batch(32)"}},
      {data::from_tensor_slices(good["x"]).batch(3), {"{x: f32(3, 4)}", "1 label"}},
      {mapped([](const Literal& x, const Literal& y) {
         return std::pair{x.reshape({3, 2, 2}), y};
       }),
       {"(3, 2, 2)", "(None, 4)"}},
      {mapped([](const Literal& x, const Literal&) {
         return std::pair{x, Literal::of<float>({{1, 2}, {3, 4}, {5, 6}})};
       }),
       {"(3, 2)", "(3, 3)"}},
      {mapped([](const Literal& x, const Literal& y) {
         return std::pair{x, y.row(0).reshape({1})};
       }),
       {"'y'", "(1,)", "3"}},
      {mapped([text](const Literal&, const Literal& y) {
         return std::pair{text, y};
       }),
       {"'x'", "text", "numbers in a map()"}},
  };
  for (const Row& row : table) {
    Model model = classifier();
    const std::string message = error_of([&] {
      model.fit(row.dataset, {.verbose = 0}, SourceLocation{"take_me_here.cc", 7});
    });
    expect_parts(message, row.parts);
    expect_parts(message, {"take_me_here.cc:7"});  // not the line that made the model
  }
}

TEST(BadInput, InputsOfTheWrongShapeNameTheCallAndTheLineOfTheModel) {
  Model model = classifier();
  const Literal x = Literal::zeros(DType::f32, {6, 5}), y = Literal::zeros(DType::i32, {6});
  const std::vector<std::string> parts{"(6, 5)", "(None, 4)", "the model made at", "take_me_here"};
  const SourceLocation here{"take_me_here.cc", 7};
  expect_parts(error_of([&] { model.fit(x, y, {.verbose = 0}, here); }), parts);
  expect_parts(error_of([&] { model.evaluate(x, y, {.verbose = 0}, here); }), parts);
  expect_parts(error_of([&] { model.predict(x, {}, here); }), parts);
}

// Out of range are classes; rows of numbers are not classes.
TEST(BadInput, LabelsOfTheWrongShapeAreNamedBeforeTheirValues) {
  Model model = classifier();
  const Literal x = Literal::zeros(DType::f32, {6, 4});
  const struct {
    Shape labels;
    std::vector<std::string> parts;
  } table[] = {
      {{6, 3}, {"labels have shape (6, 3)", "labels of shape (6,)", "categorical_crossentropy"}},
      {{6, 2}, {"labels have shape (6, 2)", "labels of shape (6,)"}},
      {{6, 1, 1}, {"labels have shape (6, 1, 1)", "labels of shape (6,)"}},
      {{6}, {"label 9 in 'y', row 0", "0 to 2"}},
      {{6, 1}, {"label 9 in 'y', row 0", "0 to 2"}},
  };
  for (const DType type : {DType::i32, DType::i64, DType::u8, DType::f32}) {
    for (const auto& [shape, parts] : table) {
      const Literal y = Literal::filled(type, shape, 9);
      expect_parts(error_of([&] { model.fit(x, y, {.verbose = 0}); }), parts);
    }
  }
  // Floats stand for classes as well, as in Keras.
  expect_parts(error_of([&] {
                 model.fit(x, Literal::filled(DType::f32, {6}, std::nan("")), {.verbose = 0});
               }),
               {"label nan in 'y', row 0"});
  model.fit(x, Literal::filled(DType::f32, {6}, 2), {.verbose = 0});
}

TEST(BadInput, WeightsThatFitNoLossAreNamed) {
  Model model = classifier();
  const Literal x = Literal::zeros(DType::f32, {6, 4}), y = Literal::zeros(DType::i32, {6});
  const Literal weights = Literal::zeros(DType::f32, {6, 3});
  expect_parts(error_of([&] { model.fit(x, y, {.sample_weight = weights, .verbose = 0}); }),
               {"sample_weight has shape (6, 3), the losses have (6,)", "bad_input_test.cc"});
}

TEST(BadInput, LayersThatAreNotThereNameTheLine) {
  const Model model = classifier();
  for (const char* name : {"dens", "", "dense/inner"}) {
    expect_parts(error_of([&] { model.network().layer(name); }),
                 {str("no layer '", name, "'"), "bad_input_test.cc"});
  }
  expect_parts(error_of([&] { model.network().layer("dens"); }), {"did you mean 'dense'"});
  Model outer = Sequential({Input{.shape = {4}}, model});
  const std::string above = outer.network().name_of(outer.network().layers().front());
  expect_parts(error_of([&] { outer.network().layer(above + "/dens"); }),
               {str("did you mean '", above, "/dense'"), str("the layers below '", above, "/'")});
}

TEST(BadInput, ARateThatASchedulerGivesNamesItsLine) {
  Model model = classifier();
  const CallbackPtr scheduler = LearningRateScheduler{[](int, double) { return -1.0; }};
  expect_parts(
      error_of([&] { model.fit(batches(6, 3), {.callbacks = {scheduler}, .verbose = 0}); }),
      {"learning_rate is -1", "0 or more", "bad_input_test.cc"});
}

TEST(BadInput, EvaluateAndPredictNameAnEmptyDatasetToo) {
  const Model model = classifier();
  Model same = model;
  const data::Dataset empty = batches(6, 3).take(0);
  expect_parts(error_of([&] { same.evaluate(empty, {.verbose = 0}); }),
               {"evaluate was given a dataset without a single batch", "bad_input_test.cc"});
  expect_parts(error_of([&] { model.predict(empty); }),
               {"predict was given a dataset without a single batch", "bad_input_test.cc"});
}

TEST(BadInput, EvaluateSaysWhenTheDataIsShorterThanItsSteps) {
  Model model = classifier();
  CaughtLog log;
  EXPECT_EQ(model.evaluate(batches(7, 3), {.steps = 5, .verbose = 0}).samples, 7);
  expect_parts(log.lines(), {"evaluate: the dataset ended after 3 of 5 steps", "7 samples"});
}

TEST(BadInput, LabelsOutOfRangeAreNamedByEvaluateToo) {
  Model model = classifier();
  const auto wrong = batches(6, 3).map([](const Literal& x, const Literal& y) {
    return std::pair{x, Literal::of<int64_t>({y.integer_at(0), -1, 2})};
  });
  expect_parts(error_of([&] { model.evaluate(wrong, {.verbose = 0}); }),
               {"label -1 in 'y', row 1 of batch 0 (after any shuffle)", "0 to 2"});
}

// Integers that an embedding looks up: on the device they would be clamped.
TEST(BadInput, TokenIdsBeyondTheEmbeddingAreNamed) {
  const auto model_of = [](DType type) {
    const Symbol tokens = input({.shape = {2}, .dtype = type, .name = "tokens"});
    const Symbol x = Embedding{.input_dim = 5, .output_dim = 3}(tokens);
    Model model = Network(tokens, Dense{.units = 1}(Flatten{}(x)));
    model.compile({.optimizer = "sgd", .loss = "mse"});
    return model;
  };
  const auto data = [](int32_t wrong) {
    const Literal ids = Literal::of<int32_t>({{0, 4}, {1, 2}, {3, 0}, {1, wrong}});
    const Literal labels = Literal::of<float>({{0}, {1}, {0}, {1}});
    return data::from_tensor_slices(Example{{"tokens", ids}, {"y", labels}}).batch(2);
  };
  for (const DType type : {DType::i32, DType::i64, DType::f32}) {
    Model model = model_of(type);
    model.fit(data(4), {.verbose = 0});
    for (const int32_t wrong : {5, -1}) {
      const std::vector<std::string> parts{str("value ", wrong, " in 'tokens', row 1 of batch 1"),
                                           "0 to 4"};
      expect_parts(error_of([&] { model.fit(data(wrong), {.verbose = 0}); }), parts);
      expect_parts(error_of([&] { model.evaluate(data(wrong), {.verbose = 0}); }), parts);
      expect_parts(error_of([&] { model.predict(data(wrong)); }), parts);
    }
  }
}

// Else an epoch would have no end.
TEST(BadInput, DatasetsWithoutAnEndNeedTheirSteps) {
  Model model = classifier();
  const data::Dataset endless = batches(6, 3).repeat().prefetch(1);
  const std::vector<std::string> fit_parts{"without an end", ".steps_per_epoch", "repeat(n)"};
  expect_parts(error_of([&] { model.fit(endless, {.verbose = 0}); }), fit_parts);
  expect_parts(error_of([&] { model.evaluate(endless, {.verbose = 0}); }), {".steps,"});
  expect_parts(error_of([&] { model.predict(endless); }), {".steps,"});
  const auto validate = [&](int64_t steps) {
    model.fit(batches(6, 3), {.validation_data = endless, .validation_steps = steps, .verbose = 0});
  };
  expect_parts(error_of([&] { validate(-1); }), {".validation_steps"});
  validate(2);
  model.fit(endless, {.steps_per_epoch = 2, .verbose = 0});
  const CallbackPtr third = LambdaCallback({.on_train_batch_end = [&](int64_t step, const Logs&) {
    if (step == 2) model.stop_training();
  }});
  EXPECT_EQ(model.fit(endless, {.callbacks = {third}, .verbose = 0}).step_losses.size(), 3u);
}

// They are not an error: those without a weight, say, do not count.
TEST(BadInput, LabelsThatAreNeitherYesNorNoAreSaid) {
  Model model(Sequential({Dense{.units = 1, .activation = "sigmoid"}}));
  model.compile({.optimizer = "sgd", .loss = "binary_crossentropy"});
  const auto said = [&](const Literal& labels) {
    const CaughtLog log;
    model.fit(Literal::of<float>({{1}, {2}, {3}, {4}}), labels,
              {.epochs = 2, .batch_size = 2, .verbose = 0});
    return log.lines();
  };
  for (const float right : {0.F, 1.F, 0.3F, 1.0000002F})
    EXPECT_EQ(said(Literal::of<float>({{0}, {1}, {right}, {0}})).find("from 0 to 1"),
              std::string::npos)
        << right;
  for (const float wrong : {2.F, -1.F, NAN}) {
    const std::string lines = said(Literal::filled(DType::f32, {4, 1}, wrong));
    expect_parts(lines, {str("label ", wrong, " in 'y'"), "from 0 to 1", "(y + 1) / 2"});
    EXPECT_EQ(lines.find("from 0 to 1"), lines.rfind("from 0 to 1")) << "once in " << lines;
  }
  expect_parts(said(Literal::of<int32_t>({{0}, {7}, {1}, {0}})), {"label 7 in 'y'"});
}

// Columns of a table: the first are looked up, the others are numbers.
TEST(BadInput, OfColumnsThoseThatAreLookedUpAreChecked) {
  const Symbol row = input({.shape = {3}, .name = "row"});
  const Symbol first = Embedding{.input_dim = 5, .output_dim = 2}(row[{all, 0}]);
  const Symbol more = Embedding{.input_dim = 9, .output_dim = 2}(row[{all, Slice{1, 2}}]);
  Model model = Network(row, Dense{.units = 1}(Concatenate{}({first, Flatten{}(more), row})));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto fit = [&](float a, float b, float c) {
    const Literal rows = Literal::of<float>({{0, 0, 0}, {a, b, c}});
    return error_of([&] { model.fit(rows, Literal::of<float>({{0}, {1}}), {.verbose = 0}); });
  };
  EXPECT_EQ(fit(4, 8, -7.5F), "no error");
  for (const float wrong : {5.F, -1.F, 0.5F, NAN})
    expect_parts(fit(wrong, 0, 0), {str("value ", wrong, " in 'x'"), "0 to 4", "'embedding'"});
  expect_parts(fit(0, 9, 0), {"value 9 in 'x'", "0 to 8", "'embedding_1'"});
}

// The last of each row, however long the rows are; and what a cast makes of it.
TEST(BadInput, OfRowsOfAnyLengthTheLastIsChecked) {
  const Symbol row = input({.shape = {-1}, .name = "row"});
  struct Last {
    std::string name = {};
    Tensor call(const Tensor& x, CallContext&) const {
      return cast(x[{all, Slice{.begin = -1}}], DType::i32);
    }
  };
  const Layer last(Last{});
  Model model = Network(row, Flatten{}(Embedding{.input_dim = 5, .output_dim = 2}(last(row))));
  const auto predict = [&](const std::vector<std::vector<float>>& rows) {
    std::vector<Literal> batches;
    for (const std::vector<float>& one : rows) {
      const auto length = static_cast<int64_t>(one.size());
      batches.push_back(Literal::from(one, {1, length}));
    }
    const data::Dataset dataset = data::from_generator([batches] {
      return [batches, i = size_t{0}]() mutable -> std::optional<Example> {
        if (i == batches.size()) return std::nullopt;
        return Example{{"row", batches[i++]}};
      };
    });
    return error_of([&] { model.predict(dataset); });
  };
  EXPECT_EQ(predict({{9, 9, 4}, {9, 9, 9, 9, 4.7F}, {3}}), "no error");
  expect_parts(predict({{9, 9, 4}, {0, 0, 0, 0, 5}}), {"value 5 in 'row', row 0 of batch 1"});
  expect_parts(predict({{9, 9, 4}, {NAN}}), {"value nan in 'row'"});
}

TEST(BadInput, WhatAMapFunctionThrowsInAWorkerNamesStageAndElement) {
  for (int workers : {1, 3}) {
    Model model = classifier();
    const auto failing = batches(30, 3).map(
        [](const Literal& x, const Literal& y) {
          if (x.number_at(0) > 1) throw std::runtime_error("no such picture");
          return std::pair{x, y};
        },
        {.num_parallel_calls = workers}, {"pictures.cc", 12});
    expect_parts(error_of([&] { model.fit(failing.prefetch(2), {.verbose = 0}); }),
                 {"FunctionFailed", "map at pictures.cc:12, element 4", "no such picture"});
  }
}

std::vector<float> losses_on(int cores, int64_t batch) {
  TPUClusterResolver resolver("v3-8", {.cores = cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  Model model = strategy.scope([] { return classifier(); });
  return model.fit(batches(11, batch), {.epochs = 3, .verbose = 0}).step_losses;
}

TEST(BadInput, BatchesSmallerThanTheCoresTrainAsOnOneCore) {
  for (int64_t batch : {1, 3, 5}) {
    const std::vector<float> one = losses_on(1, batch), eight = losses_on(8, batch);
    ASSERT_EQ(one.size(), eight.size());
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_NEAR(one[i], eight[i], 1e-5) << "batch " << batch << ", step " << i;
  }
}

// What losses, metrics and compile find wrong has no line of its own.
TEST(BadInput, WhatTheStepFindsWrongNamesTheCall) {
  const auto rows_of = [](const Literal& y) {
    return data::from_tensor_slices(std::pair(rows(6)["x"], y)).batch(3);
  };
  const Literal classes = rows(6)["y"], one_hot = Literal::zeros(DType::f32, {6, 3});
  struct Row {
    CompileOptions compile;
    Literal y;
    std::string part;
  };
  const Row table[] = {
      {{.loss = SparseCategoricalCrossentropy{}}, one_hot, "one-hot labels belong to"},
      {{.loss = "mse"}, classes, "sparse_categorical_crossentropy"},
      {{.loss = SparseCategoricalCrossentropy{}, .metrics = {AUC{}}},
       classes,
       "auc: labels have shape"},
  };
  for (const Row& row : table) {
    for (const bool eagerly : {false, true}) {
      Model model = classifier();
      CompileOptions options = row.compile;
      options.run_eagerly = eagerly;
      model.compile(options);
      const data::Dataset data = rows_of(row.y);
      expect_parts(message_of<InvalidArgument>([&] {
                     model.fit(data, {.verbose = 0}, SourceLocation{"take_me_here.cc", 7});
                   }),
                   {"fit: ", row.part, "at take_me_here.cc:7"});
      expect_parts(message_of<InvalidArgument>([&] { model.evaluate(data, {.verbose = 0}); }),
                   {"evaluate: ", row.part, "bad_input_test.cc:"});
    }
  }
}

TEST(BadInput, AStepThatNoMemoryHoldsNamesTheCall) {
  Model model = Sequential({Input{.shape = {1 << 20}}, Dense{.units = 1 << 20}});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Literal x = Literal::zeros(DType::f32, {1, 1 << 20});
  expect_parts(
      message_of<ResourceExhausted>([&] { model.fit(x, x, {.verbose = 0}); }),
      {"fit: train_step needs ", " TB on each core", "4.00 TB parameters", "bad_input_test.cc:"});
}

TEST(BadInput, NumbersOutOfRangeAreNamed) {
  Model model = classifier();
  const data::Dataset data = batches(6, 3);
  const std::pair<FitOptions, std::string> table[] = {
      {{.epochs = -1}, "epochs = -1, expected 0 or more"},
      {{.initial_epoch = -1}, "initial_epoch = -1, expected 0 or more"},
      {{.steps_per_epoch = 0}, "steps_per_epoch = 0, expected 1 or more, or -1"},
      {{.validation_freq = 0}, "validation_freq = 0, expected 1 or more"}};
  for (const auto& [options, wanted] : table) {
    expect_parts(
        message_of<InvalidArgument>([&, &fit_options = options] { model.fit(data, fit_options); }),
        {wanted, "bad_input_test.cc:"});
  }
}

TEST(BadInput, WhatDoesNotFitInValidationDataSaysSo) {
  FitOptions options{.verbose = 0};
  options.validation_data = data::from_tensor_slices(Literal::zeros(DType::f32, {4, 9})).batch(2);
  expect_parts(message_of<InvalidArgument>([&] { classifier().fit(batches(6, 3), options); }),
               {"fit, with its validation_data: evaluate: the dataset's elements are",
                "bad_input_test.cc:"});
}

TEST(BadInput, ANullCallbackIsRefused) {
  expect_parts(message_of<InvalidArgument>([&] {
                 classifier().fit(batches(6, 3), {.callbacks = {nullptr}, .verbose = 0});
               }),
               {"one of the callbacks is a null pointer"});
}

// Nothing of it is allocated.
TEST(BadInput, StepsOfOneExecutionThatNoMemoryHoldsAreRefused) {
  for (const int64_t steps : {int64_t{10'000'000'000}, std::numeric_limits<int64_t>::max()}) {
    Model model = classifier();
    model.compile({.optimizer = SGD{.learning_rate = 0.1},
                   .loss = SparseCategoricalCrossentropy{.from_logits = true},
                   .steps_per_execution = steps});
    expect_parts(message_of<ResourceExhausted>([&] { model.fit(batches(6, 3), {.verbose = 0}); }),
                 {"component 'x' of ", "steps in one execution needs", "at most 16.00 GB",
                  "a smaller steps_per_execution"});
  }
}

TEST(BadInput, AModelThatWasMovedFromIsStillTheModel) {
  Model model = classifier();
  const Model other = std::move(model);
  const Literal x = rows(6)["x"];
  EXPECT_EQ(model.predict(x), other.predict(x));  // NOLINT: what this is about
}

TEST(BadInput, ASystemInitializedAgainDuringFitIsNamed) {
  const TPUClusterResolver resolver("v3-8", {.cores = 1});
  Model model = classifier();
  const CallbackPtr again = LambdaCallback(
      {.on_train_batch_end = [&](int64_t, const Logs&) { initialize_tpu_system(resolver); }});
  expect_parts(message_of<FailedPrecondition>(
                   [&] { model.fit(batches(9, 3), {.callbacks = {again}, .verbose = 0}); }),
               {"initialized again"});
  Model anew = classifier();
  EXPECT_EQ(anew.fit(batches(9, 3), {.verbose = 0}).step_losses.size(), 3u);
}

int presses_seen = 0;

TEST(BadInput, CtrlCCanBeDeclined) {
  presses_seen = 0;
  auto* previous = std::signal(SIGINT, [](int) { ++presses_seen; });
  Model model = classifier();
  const CallbackPtr press =
      LambdaCallback({.on_train_batch_end = [](int64_t, const Logs&) { std::raise(SIGINT); }});
  const History history = model.fit(
      batches(6, 3), {.callbacks = {press}, .verbose = 0, .on_interrupt = OnInterrupt::ignore});
  std::signal(SIGINT, previous);
  EXPECT_EQ(presses_seen, 2);
  EXPECT_FALSE(history.interrupted);
  EXPECT_EQ(history.step_losses.size(), 2u);
}

TEST(BadInput, ASecondCtrlCEndsTheProgramAtOnce) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto press_twice = [] {
    Model model = classifier();
    const CallbackPtr press = LambdaCallback({.on_train_batch_end = [](int64_t, const Logs&) {
      std::raise(SIGINT);
      std::raise(SIGINT);
      _exit(1);
    }});
    model.fit(batches(6, 3), {.callbacks = {press}, .verbose = 0});
  };
  EXPECT_EXIT(press_twice(), testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace systolic
