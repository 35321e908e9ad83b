// Which hooks fit, evaluate and predict call, in which order.
#include "systolic/train/options/callback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

struct Recorder : Callback {
  std::string calls;
  void on_train_begin() override { add("fit"); }
  void on_train_end(const Logs&) override { add("end"); }
  void on_epoch_end(int, const Logs&) override { add("epoch"); }
  void on_train_batch_begin(int64_t step) override { add(str("step", step)); }
  void on_train_batch_end(int64_t step, const Logs&) override { add(str("done", step)); }
  void on_test_begin() override { add("test"); }
  void on_test_batch_begin(int64_t step) override { add(str("test", step)); }
  void on_test_batch_end(int64_t step, const Logs&) override { add(str("done", step)); }
  void on_test_end(const Logs& logs) override {
    add(str("tested/", logs.size(), "/", model().count_params()));
  }
  void on_predict_begin() override { add("predict"); }
  void on_predict_end() override { add("predicted"); }
  void on_predict_batch_begin(int64_t step) override { add(str("predict", step)); }
  void on_predict_batch_end(int64_t step) override { add(str("done", step)); }
  void add(const std::string& call) { calls += call + " "; }
};

struct Trained {
  Trained() {
    set_seed(2);
    model.compile({.optimizer = "sgd", .loss = "mse"});
  }
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1}});
  Literal x = host_normal({4, 2}, 0, 1, 1), y = host_normal({4, 1}, 0, 1, 2);
  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
};

TEST(Callbacks, FitCallsThoseOfItsValidation) {
  Trained trained;
  const data::Dataset data = data::from_tensor_slices(std::pair(trained.x, trained.y)).batch(2);
  trained.model.fit(
      data, {.validation_data = data.take(1), .callbacks = {trained.recorder}, .verbose = 0});
  EXPECT_EQ(trained.recorder->calls,
            "fit step0 done0 step1 done1 test test0 done0 tested/1/3 epoch end ");
}

TEST(Callbacks, OfEvaluateAndPredictKnowTheirModel) {
  Trained trained;
  EXPECT_THROW(trained.recorder->on_test_end({}), FailedPrecondition);
  trained.model.evaluate(trained.x, trained.y,
                         {.batch_size = 3, .callbacks = {trained.recorder}, .verbose = 0});
  trained.model.predict(trained.x, {.batch_size = 2, .callbacks = {trained.recorder}});
  EXPECT_EQ(trained.recorder->calls,
            "test test0 done0 test1 done1 tested/1/3 "
            "predict predict0 done0 predict1 done1 predicted ");
}

TEST(Callbacks, AnExecutionOfSeveralStepsNamesItsFirstAndItsLast) {
  Trained trained;
  trained.model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = 3});
  trained.model.fit(trained.x, trained.y,
                    {.batch_size = 1, .callbacks = {trained.recorder}, .verbose = 0});
  EXPECT_EQ(trained.recorder->calls, "fit step0 done2 step3 done3 epoch end ");
}

TEST(ProgbarLogger, EvaluateHasALineOfItsOwn) {
  Trained trained;
  const data::Dataset data = data::from_tensor_slices(std::pair(trained.x, trained.y)).batch(2);
  const data::Dataset of_unknown_size =
      data.filter([](const Literal&, const Literal&) { return true; });
  for (const data::Dataset& each : {data, of_unknown_size}) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    trained.model.evaluate(each);
    const std::string line = testing::internal::GetCapturedStderr();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");  // the program's own lines
    EXPECT_TRUE(line.starts_with("2/2 ━━━━━━━━━━━━━━━━━━━━ ")) << line;
    EXPECT_NE(line.find("/step - loss: "), std::string::npos) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  }
}

TEST(ProgbarLogger, FitsValidationHasNone) {
  Trained trained;
  testing::internal::CaptureStdout();
  trained.model.fit(trained.x, trained.y,
                    {.validation_data = {trained.x, trained.y}, .verbose = 2});
  const std::string lines = testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2) << lines;  // Epoch 1/1, and its own
}

}  // namespace
}  // namespace systolic
