// Logs and History: names and what stands under them.
#include "systolic/train/options/history.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

TEST(Logs, ANameThatIsNotThereIsNamedWithThoseThatAre) {
  const Logs logs{{"loss", 0.5}, {"mae", 2.0}};
  EXPECT_EQ(log_value(logs, "mae"), 2.0);
  expect_parts(message_of<NotFound>([&] { log_value(logs, "mea"); }),
               {"no 'mea' in the logs", "one of: loss, mae", "history_test.cc:"});
  expect_parts(message_of<NotFound>([] { log_value({}, "loss"); }),
               {"they are empty", "wants_batch_logs()"});
  History history;
  history.history["loss"] = {3, 2};
  EXPECT_EQ(history.last("loss"), 2);
  expect_parts(message_of<NotFound>([&] { history.last("val_loss"); }),
               {"no 'val_loss'", "one of: loss"});
  expect_parts(message_of<NotFound>([] { History().last("loss"); }), {"no epoch has ended"});
}

TEST(Logs, OfAnEvaluationPrint) {
  std::ostringstream text;
  text << Evaluation{.logs = {{"loss", 0.08764}, {"accuracy", 0.9731}}, .samples = 10};
  EXPECT_EQ(text.str(), "loss: 0.0876 - accuracy: 0.9731");
}

TEST(Logs, MetricsOfOneNameAreToldApart) {
  const Arrays arrays = three_classes(12);
  Model model = small_model();
  model.compile({.optimizer = "sgd",
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"accuracy", "accuracy", SparseCategoricalAccuracy{.name = "loss"}},
                 .weighted_metrics = {"accuracy", SparseCategoricalAccuracy{.name = "other"}}});
  const History history = model.fit(arrays.x, arrays.y, {.epochs = 2, .verbose = 0});
  std::vector<std::string> names;
  for (const auto& [name, values] : history.history) {
    names.push_back(name);
    EXPECT_EQ(values.size(), 2u) << name;
  }
  EXPECT_EQ(join(names), "accuracy, accuracy_1, loss, loss_1, other, weighted_accuracy");
}

}  // namespace
}  // namespace systolic
