// Failures inside a loop that the device runs: variables keep the values they had before it.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/systolic.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/layer_scope.h"
#include "tests/failures/failing_device.h"

namespace systolic {
namespace {

constexpr int64_t rows_of_batch = 4;
constexpr int never = -1;

// Twice its input. The device fails where this layer is named "fails".
struct Twice {
  std::string name;
  Tensor call(const Tensor& x, CallContext&) const { return x * 2; }
};
constexpr int line_of_twice = __LINE__ - 2;

Model small_model(int64_t steps_per_execution) {
  set_seed(3);
  Model model = Sequential({Input{.shape = {3}}, Dense{.units = 4, .activation = "relu"},
                            Twice{.name = "fails"}, Dense{.units = 2}});
  model.compile({.optimizer = Adam{.learning_rate = 0.01},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"sparse_categorical_accuracy"},
                 .steps_per_execution = steps_per_execution});
  return model;
}

Literal inputs(int64_t rows) {
  Literal x(DType::f32, {rows, 3});
  auto values = x.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.05f * static_cast<float>(i % 37) - 0.4f;
  return x;
}

Literal labels(int64_t rows) {
  Literal y(DType::i32, {rows});
  auto values = y.mutable_data<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i % 2);
  return y;
}

data::Dataset batches(int64_t count) {
  const int64_t rows = count * rows_of_batch;
  return data::from_tensor_slices(std::pair(inputs(rows), labels(rows))).batch(rows_of_batch);
}

class DeviceLoop : public ::testing::Test {
 protected:
  DeviceLoop() { set_default_client(failing_device({"fails", never})); }
  ~DeviceLoop() override { set_default_client(nullptr); }
};

// Weights, slots and counters of the two are the same: they go on alike.
void expect_same_training(Model& model, Model& untouched, const data::Dataset& data) {
  EXPECT_EQ(model.get_weights(), untouched.get_weights());
  const History after = model.fit(data, {.verbose = 0});
  EXPECT_EQ(after.step_losses, untouched.fit(data, {.verbose = 0}).step_losses);
  EXPECT_EQ(model.get_weights(), untouched.get_weights());
}

TEST_F(DeviceLoop, AFailureAtItsThirdStepLosesNothing) {
  for (const int64_t executions_before : {0, 1}) {
    const data::Dataset all = batches(100);
    Model untouched = small_model(50), model = small_model(50);
    if (executions_before > 0) untouched.fit(all.take(50), {.verbose = 0});
    const int64_t step = 50 * executions_before + 3;
    fail_again({"fails", static_cast<int>(step)});
    const std::string text = message_of([&] { model.fit(all, {.verbose = 0}); });
    EXPECT_EQ(text.find(str("step ", step, " of train_step, ")), 0u) << text;
    EXPECT_NE(text.find(" in fails: the device stopped"), std::string::npos) << text;
    EXPECT_NE(text.find(str("device_loop_test.cc:", line_of_twice)), std::string::npos) << text;
    expect_same_training(model, untouched, all);
  }
}

TEST_F(DeviceLoop, EvaluationThatFailsInItCanBeRepeated) {
  Model model = small_model(8);
  const data::Dataset all = batches(20);
  model.fit(all, {.verbose = 0});
  const Evaluation wanted = model.evaluate(all, {.verbose = 0});
  fail_again({"fails", 11});
  const std::string text = message_of([&] { model.evaluate(all, {.verbose = 0}); });
  EXPECT_EQ(text.find("step 11 of test_step, "), 0u) << text;
  EXPECT_EQ(model.evaluate(all, {.verbose = 0}).logs, wanted.logs);
}

// A loop of the user's own: its rounds are not steps of training.
TEST_F(DeviceLoop, AVariableThatALoopAssignsKeepsItsValue) {
  Variable w(constant({1.f, 2.f}), {.name = "w"}), other(constant(1.f), {.name = "other"});
  auto program = function(
      [&] {
        other.assign_add(1);
        while_loop(
            {constant(0)}, [](const Tensors& state) { return state[0] < 5; },
            [&](const Tensors& state) {
              const LayerScope scope("fails");
              w.assign(w * 2);
              return Tensors{state[0] + 1};
            });
        return w + 1;
      },
      {.name = "doubling"});
  EXPECT_EQ(program().literal(), Literal::of<float>({33, 65}));
  fail_again({"fails", 4});
  const std::string text = message_of(program);
  EXPECT_EQ(text.find("step 1 of doubling, round 4 of a loop, "), 0u) << text;
  EXPECT_EQ(w.literal(), Literal::of<float>({32, 64}));
  EXPECT_EQ(other.item<float>(), 2);
  EXPECT_EQ(program().literal(), Literal::of<float>({1025, 2049}));
  EXPECT_EQ(other.item<float>(), 3);
}

}  // namespace
}  // namespace systolic
