// What a fit and a loop of one's own write for TensorBoard, read by the TFRecord reader. Its own
// server reads the same in tests/tensorboard.
#include "systolic/train/callbacks/logging/tensor_board.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "systolic/base/protobuf/message.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/events/training_run.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/sinks/summary.h"
#include "systolic/train/state/model_facts.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

// The steps at which each tag of a folder was written, in their order.
std::map<std::string, std::vector<int64_t>> tags_in(const std::string& folder) {
  std::map<std::string, std::vector<int64_t>> tags;
  for (const std::string& path : io::glob(folder + "/events.out.tfevents.*")) {
    io::TFRecordReader reader(path);
    for (std::string_view record; reader.next(record);) {
      protobuf::MessageReader event(record);
      int64_t step = 0;
      while (event.next()) {
        if (event.field() == 2) step = event.integer();
        if (event.field() != 5) continue;
        protobuf::MessageReader summary(event.bytes());
        while (summary.next()) {
          protobuf::MessageReader value(summary.bytes());
          while (value.next() && value.field() != 1) {
          }
          tags[std::string(value.bytes())].push_back(step);
        }
      }
    }
  }
  return tags;
}

using Steps = std::vector<int64_t>;

TEST(TensorBoardFiles, AFitWritesAllThatItIsAskedFor) {
  const TemporaryFolder folder;
  const std::string logs = folder / "logs";
  const CallbackPtr own = LambdaCallback({.on_epoch_end = [](int, const Logs&) {
    summary::scalar("own", 0.25);
    summary::text("note", "hello", {.step = 77});
  }});
  const data::Dataset data = batches(three_classes(40), 10);
  small_model().fit(data, {.epochs = 3,
                           .validation_data = data,
                           .callbacks = {TensorBoard{.log_dir = logs,
                                                     .update_freq = 2,
                                                     .histogram_freq = 2,
                                                     .write_steps_per_second = true,
                                                     .hparams = {{"lr", 0.5}}},
                                         own},
                           .verbose = 0});
  const auto train = tags_in(logs + "/train"), validation = tags_in(logs + "/validation");
  EXPECT_EQ(train.at("epoch_loss"), (Steps{0, 1, 2}));
  EXPECT_EQ(train.at("epoch_learning_rate"), (Steps{0, 1, 2}));
  EXPECT_EQ(train.at("batch_loss"), (Steps{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(train.at("batch_steps_per_second"), (Steps{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(train.at("epoch_steps_per_second"), (Steps{0, 1, 2}));
  EXPECT_EQ(train.at("keras"), (Steps{0}));
  EXPECT_EQ(train.at("_hparams_/session_start_info"), (Steps{0}));
  EXPECT_EQ(train.at("_hparams_/session_end_info"), (Steps{0}));
  EXPECT_EQ(train.at("own"), (Steps{4, 8, 12}));
  EXPECT_EQ(train.at("note"), (Steps{77, 77, 77}));
  EXPECT_EQ(train.at("sequential/dense/kernel/histogram"), (Steps{0, 2}));
  EXPECT_EQ(train.at("sequential/dense/bias/histogram"), (Steps{0, 2}));
  EXPECT_EQ(validation.at("epoch_loss"), (Steps{0, 1, 2}));
  EXPECT_EQ(validation.at("evaluation_loss_vs_iterations"), (Steps{4, 8, 12}));
}

std::vector<std::string> names_of(const Network& network) {
  std::vector<std::string> names;
  for (const auto& one : named_values(network)) names.push_back(one.name);
  return names;
}

// The paths of Keras 3.15 for the same networks (tests/golden/make_weight_paths.py).
TEST(WeightPaths, AreThoseOfKeras) {
  using Names = std::vector<std::string>;
  const auto dense = [](const char* name) {
    return Dense{.units = 2, .use_bias = false, .name = name};
  };
  const Network inner = Sequential({dense("in")}, {.name = "inner"});
  EXPECT_EQ(names_of(Sequential({Input{.shape = {4}}, dense("d2"), inner}, {.name = "seq"})),
            (Names{"seq/d2/kernel", "seq/inner/in/kernel"}));
  const Symbol a = input({.shape = {4}}), b = input({.shape = {4}}), c = input({.shape = {4}});
  const Network functional(a, dense("fd")(a), {.name = "fun"});
  EXPECT_EQ(names_of(functional), (Names{"fd/kernel"}));
  EXPECT_EQ(names_of(Sequential({Input{.shape = {4}}, functional, dense("d2")}, {.name = "seq"})),
            (Names{"fd/kernel", "seq/d2/kernel"}));
  EXPECT_EQ(names_of(Network(b, functional(b), {.name = "out"})), (Names{"fd/kernel"}));
  const Network other = Sequential({dense("inner_dense")}, {.name = "inner"});
  EXPECT_EQ(names_of(Network(c, other(dense("dense")(c)), {.name = "small"})),
            (Names{"dense/kernel", "inner/inner_dense/kernel"}));
}

TEST(TensorBoardFiles, ALoopOfOnesOwnShowsWhatItLikes) {
  const TemporaryFolder folder;
  const std::string logs = folder / "logs";
  {
    TrainingRun run({.epochs = 1, .sinks = {TensorBoard{.log_dir = logs}}});
    run.begin_epoch(0);
    run.end_step();
    summary::scalar("norm", 2);
    summary::histogram("numbers", Literal::of<float>({1, 2, 3}));
    summary::image("grey", Literal::filled(DType::f32, {2, 4, 5, 1}, 0.5));
    // Readers see it while the run goes on.
    EXPECT_EQ(tags_in(logs + "/train").at("grey"), (Steps{1}));
    run.end_epoch({{"loss", 0.5}});
  }
  const auto train = tags_in(logs + "/train");
  EXPECT_EQ(train.at("norm"), (Steps{1}));
  EXPECT_EQ(train.at("numbers"), (Steps{1}));
  EXPECT_EQ(train.at("epoch_loss"), (Steps{0}));
  summary::scalar("nobody", 1);  // outside of a run
}

TEST(TensorBoardFiles, APictureOfAnotherShapeIsRefused) {
  EXPECT_CONTAINS(error_of([] {
                    summary::image("x", Literal::filled(DType::f32, {4, 5}, 0));
                  }),
                  "InvalidArgument: summary::image 'x', got (4, 5), expected [batch, height");
}

TEST(TensorBoardFiles, AFolderThatCannotBeWrittenIsOneWarning) {
  const CaughtLog log;
  const History history = small_model(3).fit(
      batches(three_classes(40), 10),
      {.epochs = 2, .callbacks = {TensorBoard{.log_dir = "/proc/none"}}, .verbose = 0});
  EXPECT_EQ(history.epoch.size(), 2u);
  const std::string once = "An event sink failed and is told nothing more";
  EXPECT_CONTAINS(log.warnings(), once);
  EXPECT_EQ(log.warnings().find(once), log.warnings().rfind(once)) << log.warnings();
}

}  // namespace
}  // namespace systolic
