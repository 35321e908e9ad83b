// Which hooks fit, evaluate and predict call, in which order.
#include "systolic/train/callbacks/callback.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/model.h"

namespace systolic {
namespace {

struct Recorder : Callback {
  std::string calls;
  void on_train_begin() override { add("fit"); }
  void on_train_end(const Logs&) override { add("end"); }
  void on_epoch_end(int, const Logs&) override { add("epoch"); }
  void on_train_batch_end(int64_t, const Logs&) override { add("step"); }
  void on_test_begin() override { add("test"); }
  void on_test_batch_end(int64_t step, const Logs&) override { add(str("test", step)); }
  void on_test_end(const Logs& logs) override {
    add(str("tested/", logs.size(), "/", model().count_params()));
  }
  void on_predict_batch_end(int64_t step) override { add(str("predict", step)); }
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
  EXPECT_EQ(trained.recorder->calls, "fit step step test test0 tested/1/3 epoch end ");
}

TEST(Callbacks, OfEvaluateAndPredictKnowTheirModel) {
  Trained trained;
  EXPECT_THROW(trained.recorder->on_test_end({}), FailedPrecondition);
  trained.model.evaluate(trained.x, trained.y,
                         {.batch_size = 3, .callbacks = {trained.recorder}, .verbose = 0});
  trained.model.predict(trained.x, {.batch_size = 2, .callbacks = {trained.recorder}});
  EXPECT_EQ(trained.recorder->calls, "test test0 test1 tested/1/3 predict0 predict1 ");
}

}  // namespace
}  // namespace systolic
