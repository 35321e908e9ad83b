// fit that is taken up again sees precisely the samples that it had still to see: its losses are
// those of the run that was not interrupted, to the bit.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

constexpr int64_t rows = 50;

// Every row has its own loss, so that another order of the samples gives other losses.
Literal column(float scale) {
  Literal result(DType::f32, {rows, 2});
  float value = 0;
  for (float& each : result.mutable_data<float>()) each = scale * (value += 0.25f);
  return result;
}

data::Dataset samples() {
  return data::from_tensor_slices(std::pair(column(0.01f), column(0.03f)));
}

Model make_model(int64_t steps_per_execution) {
  set_seed(3);
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 2}});
  model.compile({.optimizer = Adam{.learning_rate = 0.01},
                 .loss = MeanSquaredError{},
                 .steps_per_execution = steps_per_execution});
  return model;
}

// What a program writes to its files.
struct Saved {
  std::string input;
  std::vector<Literal> weights, slots;
  size_t steps = 0;  // before
};

// Saves after the given call of on_train_batch_end, or after the first epoch.
class Saver : public Callback {
 public:
  explicit Saver(int64_t after_execution) : after_execution_(after_execution) {}
  bool wants_input_state() const override { return true; }
  void on_train_batch_end(int64_t step, const Logs&) override {
    steps_ = static_cast<size_t>(step) + 1;
    if (++executions_ == after_execution_) save();
  }
  void on_epoch_end(int epoch, const Logs&) override {
    if (after_execution_ < 0 && epoch == 0) save();
  }

  Saved saved;

 private:
  void save() {
    saved.input = model().input_state();
    saved.weights = model().get_weights();
    for (const Variable& slot : model().optimizer().variables())
      saved.slots.push_back(slot.literal());
    saved.steps = steps_;
  }

  int64_t after_execution_, executions_ = 0;
  size_t steps_ = 0;
};

void restore(const Model& model, const Saved& saved) {
  Model handle = model;
  handle.set_weights(saved.weights);
  handle.optimizer().build(handle.trainable_variables());
  const std::vector<Variable> slots = handle.optimizer().variables();
  ASSERT_EQ(slots.size(), saved.slots.size());
  for (size_t i = 0; i < slots.size(); ++i) slots[i].set(saved.slots[i]);
}

struct Case {
  const char* what;
  std::function<data::Dataset()> make;
  int64_t steps_per_epoch;
  int64_t steps_per_execution;
  int64_t after_execution;  // -1: after the first epoch
  int initial_epoch;
};

data::Dataset shuffled() { return samples().shuffle(20, {.seed = 5}); }
data::Dataset doubled_in_parallel() {
  return shuffled()
      .map([](const Literal& x, const Literal& y) { return std::pair(x, y); },
           {.num_parallel_calls = 3})
      .repeat()
      .batch(4)
      .prefetch(4);
}

const Case table[] = {
    {"whole epochs", [] { return shuffled().batch(8).prefetch(2); }, -1, 1, -1, 1},
    {"in an epoch", [] { return shuffled().batch(8).prefetch(2); }, -1, 1, 3, 0},
    {"after an epoch's last batch", [] { return shuffled().batch(8); }, -1, 1, 7, 0},
    {"steps_per_epoch", doubled_in_parallel, 6, 1, -1, 1},
    {"in an epoch of steps_per_epoch", doubled_in_parallel, 6, 1, 2, 0},
    {"after the last step of steps_per_epoch", doubled_in_parallel, 6, 1, 6, 0},
    {"several steps in an execution", doubled_in_parallel, 7, 3, -1, 1},
    {"the same in an epoch", doubled_in_parallel, 7, 3, 2, 0},
    {"before a short batch", [] { return shuffled().batch(8).repeat(); }, 7, 1, 6, 0},
    {"the same with a short last batch", [] { return shuffled().batch(8); }, -1, 2, 2, 0},
};

TEST(InputState, ARunThatIsTakenUpGoesOnWithTheNextSample) {
  for (const Case& row : table) {
    SCOPED_TRACE(row.what);
    const FitOptions plain{.epochs = 2, .steps_per_epoch = row.steps_per_epoch, .verbose = 0};
    const std::vector<float> whole =
        make_model(row.steps_per_execution).fit(row.make(), plain).step_losses;

    const auto saver = std::make_shared<Saver>(row.after_execution);
    FitOptions saving = plain;
    saving.callbacks = {saver};
    EXPECT_EQ(make_model(row.steps_per_execution).fit(row.make(), saving).step_losses, whole);

    Model model = make_model(row.steps_per_execution);
    restore(model, saver->saved);
    FitOptions resumed = plain;
    resumed.initial_epoch = row.initial_epoch;
    resumed.input_state = saver->saved.input;
    const std::vector<float> rest = model.fit(row.make(), resumed).step_losses;
    ASSERT_LT(saver->saved.steps, whole.size());
    const auto from = whole.begin() + static_cast<std::ptrdiff_t>(saver->saved.steps);
    EXPECT_EQ(rest, std::vector<float>(from, whole.end()));
  }
}

// A run that was taken up at an epoch's end is saved again in the next epoch, and taken up again.
TEST(InputState, ARunIsTakenUpTwice) {
  const FitOptions plain{.epochs = 3, .steps_per_epoch = 6, .verbose = 0};
  const std::vector<float> whole = make_model(1).fit(doubled_in_parallel(), plain).step_losses;
  auto saver = std::make_shared<Saver>(6);
  FitOptions options = plain;
  options.callbacks = {saver};
  make_model(1).fit(doubled_in_parallel(), options);
  const std::string first = saver->saved.input;
  Model second = make_model(1);
  restore(second, saver->saved);
  saver = std::make_shared<Saver>(3);
  options.callbacks = {saver};
  options.input_state = first;
  second.fit(doubled_in_parallel(), options);
  Model third = make_model(1);
  restore(third, saver->saved);
  options.callbacks = {};
  options.input_state = saver->saved.input;
  options.initial_epoch = 1;
  EXPECT_EQ(third.fit(doubled_in_parallel(), options).step_losses,
            std::vector<float>(whole.begin() + 9, whole.end()));
}

TEST(InputState, ARunOfOneEpochIsTakenUpForTheSecond) {
  const auto make = [] { return shuffled().batch(8).prefetch(2); };
  const std::vector<float> whole =
      make_model(1).fit(make(), {.epochs = 2, .verbose = 0}).step_losses;
  const auto saver = std::make_shared<Saver>(-1);
  make_model(1).fit(make(), {.epochs = 1, .callbacks = {saver}, .verbose = 0});
  Model model = make_model(1);
  restore(model, saver->saved);
  const History history = model.fit(
      make(), {.epochs = 2, .initial_epoch = 1, .input_state = saver->saved.input, .verbose = 0});
  EXPECT_EQ(history.step_losses, std::vector<float>(whole.begin() + 7, whole.end()));
  EXPECT_EQ(history.epoch, std::vector<int>{1});
}

TEST(InputState, ArraysAreShuffledAsTheyWouldHaveBeen) {
  const auto saver = std::make_shared<Saver>(2);
  const std::vector<float> whole =
      make_model(1)
          .fit(column(0.01f), column(0.03f),
               {.epochs = 2, .batch_size = 8, .callbacks = {saver}, .verbose = 0})
          .step_losses;
  Model model = make_model(1);
  restore(model, saver->saved);
  const std::vector<float> rest =
      model
          .fit(column(0.01f), column(0.03f),
               {.epochs = 2, .batch_size = 8, .input_state = saver->saved.input, .verbose = 0})
          .step_losses;
  EXPECT_EQ(rest, std::vector<float>(whole.begin() + 2, whole.end()));
}

// Dropout draws on where it stood.
TEST(InputState, LayersThatDrawAtRandomDrawOn) {
  const auto make = [] {
    set_seed(3);
    Model model = Sequential({Input{.shape = {2}}, Dropout{.rate = 0.4}, Dense{.units = 2}});
    model.compile({.optimizer = Adam{.learning_rate = 0.01}, .loss = MeanSquaredError{}});
    return model;
  };
  struct WithRandomState : Saver {
    WithRandomState() : Saver(3) {}
    void on_train_batch_end(int64_t step, const Logs& logs) override {
      Saver::on_train_batch_end(step, logs);
      if (step == 2) random_state = model().random_state().literal();
    }
    Literal random_state;
  };
  const auto saver = std::make_shared<WithRandomState>();
  const std::vector<float> whole =
      make().fit(shuffled().batch(8), {.callbacks = {saver}, .verbose = 0}).step_losses;
  EXPECT_EQ(make().fit(shuffled().batch(8), {.verbose = 0}).step_losses, whole);
  const std::vector<float> from_third(whole.begin() + 3, whole.end());
  for (const bool taken_up : {true, false}) {
    Model model = make();
    restore(model, saver->saved);
    if (taken_up) model.random_state().set(saver->random_state);
    const std::vector<float> rest =
        model.fit(shuffled().batch(8), {.input_state = saver->saved.input, .verbose = 0})
            .step_losses;
    EXPECT_EQ(rest == from_third, taken_up);
  }
}

TEST(InputState, TheFirstStepIsStillToComeWhenTrainingBegins) {
  std::string state;
  struct AtTheStart : Saver {
    explicit AtTheStart(std::string& to) : Saver(0), to_(to) {}
    void on_train_begin() override { to_ = model().input_state(); }
    std::string& to_;
  };
  const std::vector<float> whole =
      make_model(1)
          .fit(doubled_in_parallel(), {.steps_per_epoch = 5,
                                       .callbacks = {std::make_shared<AtTheStart>(state)},
                                       .verbose = 0})
          .step_losses;
  EXPECT_EQ(
      make_model(1)
          .fit(doubled_in_parallel(), {.steps_per_epoch = 5, .input_state = state, .verbose = 0})
          .step_losses,
      whole);
}

TEST(InputState, WhatDoesNotFitIsSaid) {
  const auto saver = std::make_shared<Saver>(3);
  make_model(1).fit(doubled_in_parallel(),
                    {.steps_per_epoch = 5, .callbacks = {saver}, .verbose = 0});
  const std::string& state = saver->saved.input;
  const auto fit_from = [](const std::string& bytes, int64_t steps, const data::Dataset& dataset) {
    make_model(1).fit(dataset, {.steps_per_epoch = steps, .input_state = bytes, .verbose = 0});
  };
  for (size_t size : {size_t{1}, size_t{9}, state.size() / 2, state.size() - 1}) {
    EXPECT_THROW(fit_from(state.substr(0, size), 5, doubled_in_parallel()), DataLoss) << size;
  }
  std::string flipped = state;
  flipped[state.size() / 2] = static_cast<char>(flipped[state.size() / 2] ^ 1);
  EXPECT_THROW(fit_from(flipped, 5, doubled_in_parallel()), DataLoss);
  EXPECT_THROW(fit_from(state, 5, samples().batch(4)), FailedPrecondition);
  EXPECT_THROW(fit_from(doubled_in_parallel().iterator().save(), 5, doubled_in_parallel()),
               FailedPrecondition);
  expect_parts(error_of([&] { fit_from(state, 2, doubled_in_parallel()); }),
               {"fit", "step 3 of an epoch", "epochs of 2 steps", "steps_per_epoch"});
}

TEST(InputState, OutsideOfFitThereIsNone) {
  Model model = make_model(1);
  expect_parts(error_of([&] { model.input_state(); }), {"input_state()", "wants_input_state()"});
  const auto saver = std::make_shared<Saver>(1);
  model.fit(samples().batch(8), {.callbacks = {saver}, .verbose = 0});
  EXPECT_THROW(model.input_state(), FailedPrecondition);  // the fit has ended
  std::string error;
  model.fit(samples().batch(8),
            {.callbacks = {LambdaCallback(
                 {.on_train_begin = [&] { error = error_of([&] { model.input_state(); }); }})},
             .verbose = 0});
  expect_parts(error, {"wants_input_state()"});
}

// As after a restart with fewer processes: what pads on these cores and what did there are no rows.
TEST(InputState, TheBatchThatIsSaidCountsNoPadding) {
  struct ToldSize : Callback {
    void on_train_begin() override { rows = parameters().batch_size; }
    int64_t rows = 0;
  };
  const auto on_cores = [](int cores, FitOptions options) {
    TPUClusterResolver resolver("v3-8", {.cores = cores});
    initialize_tpu_system(resolver);
    const TPUStrategy strategy(resolver);
    Model model = strategy.scope([] { return make_model(1); });
    options.epochs = 2;
    options.verbose = 0;
    model.fit(samples().batch(20), options);
  };
  for (const int64_t saved_after : {1, 2, 3, -1}) {  // batches of 20, 20 and 10 rows
    const auto saver = std::make_shared<Saver>(saved_after);
    const auto first = std::make_shared<ToldSize>();
    on_cores(8, {.callbacks = {saver, first}});
    EXPECT_EQ(first->rows, 20);
    for (const int cores : {6, 1}) {
      const auto told = std::make_shared<ToldSize>();
      on_cores(cores, {.callbacks = {told},
                       .initial_epoch = saved_after < 0 ? 1 : 0,
                       .input_state = saver->saved.input});
      EXPECT_EQ(told->rows, 20) << saved_after;
    }
  }
}

}  // namespace
}  // namespace systolic
