// Batches whose shapes differ: inside one execution, at the end of the data, over the cores.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

// Batches of one image, the i-th `side + 16 i` wide, with its mean as the label.
data::Dataset growing_images(int64_t count, int64_t side) {
  return data::range(count).map([side](const Literal& i) {
    const int64_t width = side + 16 * i.integer_at(0);
    return std::pair{Literal::filled(DType::f32, {1, side, width, 1}, 0.5),
                     Literal::filled(DType::f32, {1, 1}, 0.5)};
  });
}

Model image_model(int64_t steps_per_execution) {
  set_seed(1);
  Model model = Sequential({Input{.shape = {8, -1, 1}}, Conv2D{.filters = 2, .kernel_size = 3},
                            GlobalAveragePooling2D{}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{.learning_rate = 0.01},
                 .loss = "mse",
                 .steps_per_execution = steps_per_execution});
  return model;
}

struct FitOfImages {
  std::vector<float> losses;
  std::vector<int64_t> last_steps;  // of the executions
};

FitOfImages fit_images(const data::Dataset& images, int64_t steps_per_execution) {
  FitOfImages result;
  const CallbackPtr callback =
      LambdaCallback({.on_train_batch_end = [&](int64_t step, const Logs&) {
        result.last_steps.push_back(step);
      }});
  result.losses = image_model(steps_per_execution)
                      .fit(images, {.callbacks = {callback}, .verbose = 0})
                      .step_losses;
  return result;
}

TEST(BatchShapes, AnExecutionEndsBeforeABatchOfAnotherShape) {
  const data::Dataset images = growing_images(1, 8).repeat(3).concatenate(growing_images(2, 8));
  const FitOfImages single = fit_images(images, 1), several = fit_images(images, 8);
  EXPECT_EQ(single.last_steps, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(several.last_steps, (std::vector<int64_t>{3, 4}));
  ASSERT_EQ(several.losses.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(several.losses[i], single.losses[i], 1e-5) << i;
}

TEST(BatchShapes, PredictJoinsOutputsOfOneShape) {
  const Model model =
      Sequential({Input{.shape = {8, -1, 1}}, Conv2D{.filters = 1, .kernel_size = 3}});
  const data::Dataset images =
      growing_images(3, 8).map([](const Literal& x, const Literal&) { return x; });
  expect_parts(message_of<InvalidArgument>([&] { model.predict(images); }),
               {"predict: the output of batch 1", "batch_shapes_test.cc"});
}

struct MeanOfAll {
  static constexpr const char* kind = "MeanOfAll";
  Tensor call(const Tensor& x, CallContext&) const { return mean(x); }
};

TEST(BatchShapes, PredictWantsABatchAxis) {
  const Model model = Sequential({Input{.shape = {2}}, MeanOfAll{}});
  expect_parts(message_of<InvalidArgument>([&] {
                 model.predict(Literal::zeros(DType::f32, {4, 2}));
               }),
               {"predict: the output of a batch of 4 rows has shape ()"});
}

// Rows of two numbers, labels their sum: the third batch of four has two rows.
Literal inputs() { return host_normal({10, 2}, 0, 1, 5); }
data::Dataset sums(bool drop_remainder = false) {
  const Literal x = inputs();
  Literal y(DType::f32, {10, 1});
  for (int64_t i = 0; i < 10; ++i)
    y.mutable_data<float>()[static_cast<size_t>(i)] =
        static_cast<float>(x.number_at(2 * i) + x.number_at(2 * i + 1));
  return data::from_tensor_slices(std::pair(x, y)).batch(4, {.drop_remainder = drop_remainder});
}

struct Given {
  ModelLoss loss;
  int cores = 1;
  int64_t steps_per_execution = 1;
  bool drop_remainder = false;
};

std::vector<float> losses_with(const Given& given) {
  TPUClusterResolver resolver("v3-8", {.cores = given.cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  set_seed(3);
  Model model = strategy.scope([] {
    return Model(Sequential({Input{.shape = {2}}, Dense{.units = 1}}));
  });
  model.compile({.optimizer = SGD{.learning_rate = 0.1},
                 .loss = given.loss,
                 .steps_per_execution = given.steps_per_execution});
  return model.fit(sums(given.drop_remainder), {.epochs = 2, .verbose = 0}).step_losses;
}

// Mean squared error as one number for the batch: rows that only pad cannot be left out of it.
Tensor one_number(const Tensor& y, const Tensor& p) { return mean(square(y - p)); }

TEST(BatchShapes, ALossThatIsOneNumberCountsEachSampleOnce) {
  const std::vector<float> wanted = losses_with({"mse"});
  ASSERT_EQ(wanted.size(), 6u);
  for (const int cores : {1, 2}) {
    for (const int64_t steps : {1, 2, 4}) {
      const std::vector<float> got = losses_with({LossFunction(&one_number), cores, steps});
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], wanted[i], 1e-5) << cores << " cores, " << steps << ", step " << i;
    }
  }
}

TEST(BatchShapes, ALossThatIsOneNumberCannotBePadded) {
  expect_parts(message_of<InvalidArgument>([&] {
                 losses_with({LossFunction(&one_number), 4, 1});
               }),
               {"a batch of 2 rows over 4 cores", "the loss is one number for the whole batch",
                "a multiple of 4", "drop_remainder"});
}

// A loss object that gives, against its description, one number for the batch.
struct OneNumber {
  Reduction reduction = "sum_over_batch_size";
  Tensor values(const Tensor& y, const Tensor& p) const { return one_number(y, p); }
};

TEST(BatchShapes, ALossObjectThatGivesOneNumberTrainsOnFullBatchesOnly) {
  const std::vector<float> wanted = losses_with({.loss = "mse", .drop_remainder = true});
  ASSERT_EQ(wanted.size(), 4u);
  for (const int cores : {1, 2, 4}) {
    for (const int64_t steps : {1, 2}) {
      const std::vector<float> got = losses_with({OneNumber{}, cores, steps, true});
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], wanted[i], 1e-5) << cores << " cores, " << steps << ", step " << i;
    }
  }
  expect_parts(message_of<InvalidArgument>([] { losses_with({.loss = OneNumber{}}); }),
               {"one number for the whole batch under a mask", "drop_remainder"});
}

// A layer whose loss is that of the whole batch.
struct BatchLoss {
  static constexpr const char* kind = "BatchLoss";
  Tensor call(const Tensor& x, CallContext& context) const {
    context.add_loss(mean(square(x)));
    return x;
  }
};

TEST(BatchShapes, ALayersLossCountsEachSampleOnce) {
  Model model = Sequential({Input{.shape = {2}}, BatchLoss{}});
  model.compile({.optimizer = "sgd"});
  const Literal x = inputs();
  double wanted = 0;
  for (int64_t i = 0; i < x.size(); ++i) wanted += std::pow(x.number_at(i), 2) / 20;
  const data::Dataset batches = data::from_tensor_slices(x).batch(4);
  EXPECT_NEAR(model.evaluate(batches, {.verbose = 0})["loss"], wanted, 1e-5);
}

// The same, and no sooner than training.
struct TrainingLoss {
  static constexpr const char* kind = "TrainingLoss";
  Tensor call(const Tensor& x, CallContext& context) const {
    if (context.training()) context.add_loss(mean(square(x)));
    return x;
  }
};

double mean_of_squares(const Literal& x, int64_t first_row, int64_t rows) {
  double sum = 0;
  for (int64_t i = 2 * first_row; i < 2 * (first_row + rows); ++i)
    sum += std::pow(x.number_at(i), 2);
  return sum / static_cast<double>(2 * rows);
}

TEST(BatchShapes, ALossThatALayerAddsOnlyWhileTrainingCountsEachSampleOnce) {
  const Literal x = inputs();
  const data::Dataset batches = data::from_tensor_slices(x).batch(4);
  const auto model_on = [](int cores, bool eagerly) {
    TPUClusterResolver resolver("v3-8", {.cores = cores});
    initialize_tpu_system(resolver);
    Model model = TPUStrategy(resolver).scope([] {
      return Model(Sequential({Input{.shape = {2}}, TrainingLoss{}}));
    });
    model.compile({.optimizer = "sgd", .run_eagerly = eagerly});
    return model;
  };
  for (const int cores : {1, 2}) {
    for (const bool eagerly : {false, true}) {
      const std::vector<float> losses =
          model_on(cores, eagerly).fit(batches, {.epochs = 2, .verbose = 0}).step_losses;
      ASSERT_EQ(losses.size(), 6u);
      for (int64_t i = 0; i < 6; ++i) {
        const int64_t batch = i % 3;
        EXPECT_NEAR(losses[static_cast<size_t>(i)],
                    mean_of_squares(x, 4 * batch, batch == 2 ? 2 : 4), 1e-5)
            << cores << " cores, " << (eagerly ? "eager, " : "") << "step " << i;
      }
    }
  }
  expect_parts(
      message_of<InvalidArgument>([&] { model_on(4, false).fit(batches, {.verbose = 0}); }),
      {"a batch of 2 rows over 4 cores", "'training_loss' adds a loss"});
}

// Data that fills no batch before another bucket's rest comes has the longest batch last.
TEST(BatchShapes, ABatchMayBeLongerThanAllBefore) {
  const Literal x = inputs();
  const data::Dataset rows = data::from_tensor_slices(std::pair(x, x));
  const data::Dataset batches = rows.take(2)
                                    .batch(2)
                                    .concatenate(rows.skip(2).take(5).batch(5))
                                    .concatenate(rows.skip(7).batch(3));
  const int64_t first[] = {0, 2, 7}, size[] = {2, 5, 3};
  for (const int cores : {1, 4}) {
    for (const int64_t steps : {1, 2, 3}) {
      TPUClusterResolver resolver("v3-8", {.cores = cores});
      initialize_tpu_system(resolver);
      Model model = TPUStrategy(resolver).scope([] {
        return Model(Sequential({Input{.shape = {2}}, Dense{.units = 2}}));
      });
      model.compile(
          {.optimizer = SGD{.learning_rate = 1e-6}, .loss = "mse", .steps_per_execution = steps});
      model.set_weights({Literal::zeros(DType::f32, {2, 2}), Literal::zeros(DType::f32, {2})});
      const std::vector<float> losses = model.fit(batches, {.verbose = 0}).step_losses;
      ASSERT_EQ(losses.size(), 3u);
      for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(losses[i], mean_of_squares(x, first[i], size[i]), 1e-5)
            << cores << " cores, " << steps << " steps, step " << i;
    }
  }
}

TEST(BatchShapes, ABadBatchIsThrownBehindTheGoodOnesBeforeIt) {
  const auto trained = [](const data::Dataset& data) {
    set_seed(3);
    Model model = Sequential({Input{.shape = {2}}, Dense{.units = 3}});
    model.compile({.optimizer = SGD{.learning_rate = 0.1},
                   .loss = SparseCategoricalCrossentropy{.from_logits = true},
                   .steps_per_execution = 4});
    const std::string error = error_of([&] { model.fit(data, {.verbose = 0}); });
    return std::pair(model.get_weights(), error);
  };
  const Literal labels = Literal::of<int64_t>({0, 1, 2, 0, 1, 9, 0, 2, 0, 1});
  const auto data = data::from_tensor_slices(std::pair(inputs(), labels)).batch(2);
  const auto [wanted, no_error] = trained(data.take(2));
  const auto [got, error] = trained(data);
  EXPECT_EQ(no_error, "no error");
  expect_parts(error, {"label 9", "of batch 2"});
  EXPECT_EQ(got, wanted);
}

TEST(BatchShapes, LabelsAreCheckedBeforeTheFirstStepOfAModelWithoutInput) {
  Model model = Sequential({Dense{.units = 3}});
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const Literal labels = Literal::of<int64_t>({0, 1, 2, 0, 1, 2, 0, 3, 0, 1});
  const auto data = data::from_tensor_slices(std::pair(inputs(), labels)).batch(10);
  expect_parts(message_of<InvalidArgument>([&] { model.fit(data, {.verbose = 0}); }),
               {"label 3", "row 7 of batch 0", "0 to 2"});
}

}  // namespace
}  // namespace systolic
