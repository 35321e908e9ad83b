// Steps of fit that fail: the model keeps what it had learned, and training goes on.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/nn/nn.h"
#include "systolic/runtime/failing_client.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/callbacks/saving/backup_and_restore.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

class FailingFit : public ::testing::Test {
 protected:
  FailingFit() { set_default_client(client); }
  ~FailingFit() override { set_default_client(nullptr); }

  static Model small_model(int64_t steps_per_execution = 1) {
    set_seed(3);
    Model model = Sequential({Input{.shape = {4}}, Dense{.units = 3}});
    model.compile({.optimizer = Adam{.learning_rate = 0.01},
                   .loss = SparseCategoricalCrossentropy{.from_logits = true},
                   .steps_per_execution = steps_per_execution});
    return model;
  }
  static Literal inputs(int64_t rows) {
    Literal x(DType::f32, {rows, 4});
    for (size_t i = 0; i < x.mutable_data<float>().size(); ++i)
      x.mutable_data<float>()[i] = 0.01f * static_cast<float>(i % 97) - 0.3f;
    return x;
  }
  static Literal labels(int64_t rows) {
    Literal y(DType::i64, {rows});
    for (size_t i = 0; i < y.mutable_data<int64_t>().size(); ++i)
      y.mutable_data<int64_t>()[i] = static_cast<int64_t>(i % 3);
    return y;
  }
  static data::Dataset batches(int64_t rows, int64_t size) {
    return data::from_tensor_slices(std::pair(inputs(rows), labels(rows))).batch(size);
  }

  std::shared_ptr<runtime::FailingClient> client =
      std::make_shared<runtime::FailingClient>(runtime::open_client({.cores = 1}));
};

TEST_F(FailingFit, ADeviceErrorNamesTheStepAndLeavesTheModelAsItWas) {
  const data::Dataset all = batches(40, 8);
  Model untouched = small_model();
  untouched.fit(all.take(2), {.verbose = 0});

  Model model = small_model();
  client->fail({.program = "train_step", .runs_before = 2});
  try {
    model.fit(all, {.verbose = 0});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Unavailable& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("step 2 of train_step"), std::string::npos) << text;
    EXPECT_NE(text.find("train/failure_test.cc:"), std::string::npos) << text;
  }
  EXPECT_EQ(model.get_weights(), untouched.get_weights());
  EXPECT_EQ(model.fit(all, {.verbose = 0}).step_losses.size(), 5u);
  untouched.fit(all, {.verbose = 0});
  EXPECT_EQ(model.get_weights(), untouched.get_weights());
}

// The message of a fit whose train step fails after `steps` others.
std::string failure_of(runtime::FailingClient& client, int steps,
                       const std::function<void()>& fit) {
  client.fail({.program = "train_step", .runs_before = steps});
  try {
    fit();
    return "nothing was thrown";
  } catch (const Unavailable& error) {
    return error.what();
  }
}

TEST_F(FailingFit, ARunThatIsTakenUpCountsItsStepsOn) {
  const data::Dataset all = batches(40, 8);  // 5 an epoch
  const data::Dataset some = all.filter([](const Example&) { return true; });
  struct Case {
    data::Dataset dataset;
    FitOptions options;
    const char* text;  // of the second step's failure
  };
  const Case table[] = {
      {all, {.epochs = 3}, "step 1 of"},
      {all, {.epochs = 3, .initial_epoch = 2}, "step 11 of"},
      {all.repeat(), {.epochs = 4, .steps_per_epoch = 3, .initial_epoch = 3}, "step 10 of"},
      {some, {.epochs = 3, .initial_epoch = 2}, "step 6 of"},  // the optimizer's 5 before
  };
  for (const Case& row : table) {
    Model model = small_model();
    model.fit(all, {.verbose = 0});
    FitOptions options = row.options;
    options.verbose = 0;
    EXPECT_CONTAINS(failure_of(*client, 1, [&] { model.fit(row.dataset, options); }), row.text);
  }
}

TEST_F(FailingFit, AStepKeepsItsNumberWhenTheRunIsTakenUp) {
  const TemporaryFolder folder;
  const auto fit = [&] {  // with a callback of its own, as in a process of its own
    const CallbackPtr backup = BackupAndRestore{.backup_dir = folder / "run", .save_freq = 2};
    small_model().fit(batches(40, 8), {.epochs = 2, .callbacks = {backup}, .verbose = 0});
  };
  EXPECT_CONTAINS(failure_of(*client, 3, fit), "step 3 of");  // saved after two
  EXPECT_CONTAINS(failure_of(*client, 5, fit), "step 7 of");  // saved after six
  EXPECT_CONTAINS(failure_of(*client, 1, fit), "step 7 of");
}

TEST_F(FailingFit, AnExceptionOfACallbackKeepsTheStepsBeforeIt) {
  for (const int64_t steps_per_execution : {1, 2}) {
    const data::Dataset all = batches(48, 8);
    Model untouched = small_model(steps_per_execution);
    untouched.fit(all.take(4), {.verbose = 0});
    Model model = small_model(steps_per_execution);
    auto fails = LambdaCallback({.on_train_batch_end = [](int64_t step, const Logs&) {
      if (step == 3) throw std::runtime_error("of the callback");
    }});
    EXPECT_THROW(model.fit(all, {.callbacks = {fails}, .verbose = 0}), std::runtime_error);
    EXPECT_EQ(model.get_weights(), untouched.get_weights());
    model.fit(all, {.verbose = 0});
    untouched.fit(all, {.verbose = 0});
    EXPECT_EQ(model.get_weights(), untouched.get_weights());
  }
}

TEST_F(FailingFit, ABadBatchInTheMiddleKeepsTheStepsBeforeIt) {
  Literal y = labels(40);
  y.mutable_data<int64_t>()[19] = 7;  // in the third batch of 8
  Model model = small_model(), untouched = small_model();
  EXPECT_THROW(
      model.fit(data::from_tensor_slices(std::pair(inputs(40), y)).batch(8), {.verbose = 0}),
      InvalidArgument);
  untouched.fit(batches(16, 8), {.verbose = 0});
  EXPECT_EQ(model.get_weights(), untouched.get_weights());
  EXPECT_EQ(model.fit(batches(40, 8), {.verbose = 0}).step_losses.size(), 5u);
}

TEST_F(FailingFit, AMapThatThrowsInTheMiddleKeepsTheStepsBeforeIt) {
  auto seen = std::make_shared<std::atomic<int>>(0);
  const data::Dataset all = batches(40, 8).map([seen](const Example& batch) -> Example {
    if (++*seen == 3) throw std::runtime_error("of the user's map");
    return batch;
  });
  Model model = small_model(), untouched = small_model();
  EXPECT_THROW(model.fit(all, {.verbose = 0}), FunctionFailed);
  untouched.fit(batches(16, 8), {.verbose = 0});
  EXPECT_EQ(model.get_weights(), untouched.get_weights());
  EXPECT_EQ(model.fit(batches(40, 8), {.verbose = 0}).step_losses.size(), 5u);
}

TEST_F(FailingFit, EvaluateAndPredictThatFailCanBeCalledAgain) {
  Model model = small_model();
  model.fit(batches(16, 8), {.verbose = 0});
  const Literal wanted = model.predict(inputs(16));
  client->fail({.program = "predict_step"});
  EXPECT_THROW(model.predict(inputs(16)), Unavailable);
  EXPECT_EQ(model.predict(inputs(16)), wanted);
  client->fail({.program = "test_step"});
  EXPECT_THROW(model.evaluate(batches(16, 8), {.verbose = 0}), Unavailable);
  EXPECT_EQ(model.evaluate(batches(16, 8), {.verbose = 0}).samples, 16);
}

}  // namespace
}  // namespace systolic
