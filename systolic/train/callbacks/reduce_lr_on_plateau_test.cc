// When ReduceLROnPlateau lowers the rate, told the values of a run. The rates are what Keras 3's
// callback of that name sets.
#include "systolic/train/callbacks/reduce_lr_on_plateau.h"

#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/nn.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

std::vector<double> rates(const ReduceLROnPlateau& options, const std::vector<double>& values) {
  Model model = Sequential({Input{.shape = {1}}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{.learning_rate = 1}, .loss = "mse"});
  const CallbackPtr callback = options;
  callback->attach(model, {});
  callback->on_train_begin();
  std::vector<double> result;
  for (size_t i = 0; i < values.size(); ++i) {
    callback->on_epoch_end(static_cast<int>(i), {{options.monitor, values[i]}});
    result.push_back(model.optimizer().learning_rate().item<double>());
  }
  return result;
}

TEST(ReduceLROnPlateau, LowersTheRateWhereKerasDoes) {
  const struct {
    const char* what;
    ReduceLROnPlateau options;
    std::vector<double> values, rates;
  } table[] = {
      {"a loss falls", {.factor = 0.5, .patience = 1}, {3, 2, 1}, {1, 1, 1}},
      {"a loss stays", {.factor = 0.5, .patience = 1}, {1, 1, 1}, {1, 0.5, 0.25}},
      {"patience", {.factor = 0.5, .patience = 2}, {1, 2, 2, 2, 2}, {1, 1, 0.5, 0.5, 0.25}},
      {"too small a gain", {.factor = 0.5, .patience = 1, .min_delta = 1}, {3, 2.5}, {1, 0.5}},
      {"an accuracy", {.monitor = "val_acc", .factor = 0.5, .patience = 1}, {1, 2, 1}, {1, 1, 0.5}},
      {"cooldown",
       {.factor = 0.5, .patience = 1, .cooldown = 2},
       {1, 1, 1, 1, 1},
       {1, 0.5, 0.5, 0.25, 0.25}},
      {"no lower than this",
       {.factor = 0.5, .patience = 1, .min_lr = 0.75},
       {1, 1, 1},
       {1, 0.75, 0.75}},
  };
  for (const auto& row : table) EXPECT_EQ(rates(row.options, row.values), row.rates) << row.what;
}

TEST(ReduceLROnPlateau, RefusesARateThatASchedulesGivesBeforeTheFirstEpoch) {
  Model model = Sequential({Input{.shape = {1}}, Dense{.units = 1}});
  model.compile(
      {.optimizer = SGD{.learning_rate = WarmUp{.warmup_steps = 4, .after = 0.2}}, .loss = "mse"});
  const CallbackPtr callback = ReduceLROnPlateau{};
  callback->attach(model, {});
  const auto message = message_of<FailedPrecondition>([&] { callback->on_train_begin(); });
  EXPECT_CONTAINS(message, "whose learning rate follows a schedule");
  EXPECT_CONTAINS(message, "reduce_lr_on_plateau_test.cc:");
}

TEST(ReduceLROnPlateau, RefusesFactorsThatRaise) {
  for (const double factor : {1.0, 2.0, 0.0, -1.0})
    EXPECT_THROW(static_cast<void>(CallbackPtr(ReduceLROnPlateau{.factor = factor})),
                 InvalidArgument);
}

}  // namespace
}  // namespace systolic
