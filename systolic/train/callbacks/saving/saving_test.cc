// The callbacks that write files: which they write, and that a run goes on from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/callbacks/logging/csv_logger.h"
#include "systolic/train/callbacks/logging/tensor_board.h"
#include "systolic/train/callbacks/saving/backup_and_restore.h"
#include "systolic/train/callbacks/saving/model_checkpoint.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

class Saving : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Model make_model() {
    set_seed(3);
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 4, .activation = "relu"},
                              Dropout{.rate = 0.3}, Dense{.units = 1}});
    model.compile({.optimizer = Adam{.learning_rate = 0.05}, .loss = "mse"});
    return model;
  }
  static data::Dataset pairs() {
    return data::from_tensor_slices(
        std::pair(host_normal({24, 3}, 0, 1, 1), host_normal({24, 1}, 0, 1, 2)));
  }
  static data::Dataset samples() { return pairs().shuffle(24, {.seed = 5}).batch(4); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(folder_)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  // The files of three epochs with these values, of two steps each.
  std::vector<std::string> saved(const ModelCheckpoint& options,
                                 const std::vector<double>& values) {
    const Model model = make_model();
    const CallbackPtr callback = options;
    callback->attach(model, {});
    callback->on_train_begin();
    for (size_t i = 0; i < values.size(); ++i) {
      const auto epoch = static_cast<int>(i);
      const Logs logs = {{"loss", 1.0}, {options.monitor, values[i]}};
      callback->on_epoch_begin(epoch);
      for (const int64_t step : {0, 1}) {
        callback->on_train_batch_begin(step);
        callback->on_train_batch_end(step, {{"loss", 0.5}});
      }
      callback->on_epoch_end(epoch, logs);
    }
    return files();
  }

  template <class T>
  static std::vector<T> last_of(const std::vector<T>& all, size_t count) {
    return {all.end() - static_cast<int64_t>(std::min(count, all.size())), all.end()};
  }

  std::string folder_ = ::testing::TempDir() + "saving_callbacks";
};

TEST_F(Saving, CheckpointsAreThoseOfKeras) {
  using Files = std::vector<std::string>;
  const struct {
    const char* what;
    ModelCheckpoint options;
    Files files;
  } table[] = {
      {"each epoch",
       {.filepath = path("{epoch:02d}-{val_loss:.1f}")},
       {"01-3.0", "02-1.0", "03-2.0"}},
      {"under one name", {.filepath = path("last")}, {"last"}},
      {"the best", {.filepath = path("{epoch}"), .save_best_only = true}, {"1", "2"}},
      {"the largest",
       {.filepath = path("{epoch}"), .save_best_only = true, .mode = MonitorMode::max},
       {"1"}},
      {"an accuracy",
       {.filepath = path("{epoch}"), .monitor = "val_accuracy", .save_best_only = true},
       {"1"}},
      {"from a threshold on",
       {.filepath = path("{epoch}"), .save_best_only = true, .initial_value_threshold = 2.5},
       {"2"}},
      {"every third step",
       {.filepath = path("{epoch}-{batch}-{loss:.1f}"), .save_freq = 3},
       {"2-1-0.5", "3-2-0.5"}},
  };
  for (const auto& row : table) {
    SetUp();
    EXPECT_EQ(saved(row.options, {3, 1, 2}), row.files) << row.what;
  }
}

TEST_F(Saving, ACheckpointHoldsTheOptimizerUnlessItIsOfWeightsAlone) {
  for (const bool weights_only : {false, true}) {
    Model model = make_model();
    model.fit(samples(), {.epochs = 2,
                          .callbacks = {ModelCheckpoint{.filepath = path("{epoch:02d}"),
                                                        .save_weights_only = weights_only}},
                          .verbose = 0});
    EXPECT_EQ(files(), (std::vector<std::string>{"01", "02"}));
    Model again = make_model();
    again.load_weights(path("02"));
    EXPECT_TRUE(again.get_weights() == model.get_weights());
    EXPECT_EQ(again.optimizer().iterations().literal().item<int32_t>(), weights_only ? 0 : 12);
  }
}

TEST_F(Saving, WhatIsNotSaidOrNotLoggedIsNamed) {
  const SourceLocation here{"user.cc", 7};
  EXPECT_THROW(static_cast<void>(CallbackPtr(ModelCheckpoint{.filepath = ""})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(CallbackPtr(ModelCheckpoint{.filepath = "x", .save_freq = 0})),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(CallbackPtr(BackupAndRestore{.backup_dir = ""})), InvalidArgument);
  Model model = make_model();
  const CallbackPtr unknown = ModelCheckpoint{.filepath = path("{val_loss:.2f}"), .location = here};
  EXPECT_CONTAINS(message_of<InvalidArgument>(
                      [&] { model.fit(samples(), {.callbacks = {unknown}, .verbose = 0}); }),
                  "names files by {val_loss}, and fit has nothing to validate with");
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    model.fit(samples(), {.validation_data = samples(),
                                          .validation_freq = 2,
                                          .callbacks = {unknown},
                                          .verbose = 0});
                  }),
                  "{val_loss}, and fit validates only every 2 epochs");
  const CallbackPtr between =
      ModelCheckpoint{.filepath = path("{val_loss:.2f}"), .save_freq = 2, .location = here};
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    model.fit(samples(),
                              {.validation_data = samples(), .callbacks = {between}, .verbose = 0});
                  }),
                  "{val_loss}, and saves between validations");
  const CallbackPtr misspelt = ModelCheckpoint{.filepath = path("{los:.2f}"), .location = here};
  try {
    model.fit(samples(), {.callbacks = {misspelt}, .verbose = 0});
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_STREQ(error.report().location.file, "user.cc") << error.what();
  }
  const CaughtLog log;
  saved({.filepath = path("x"), .monitor = "val_accurcy", .save_best_only = true}, {});
  const CallbackPtr watcher =
      ModelCheckpoint{.filepath = path("x"), .monitor = "val_accurcy", .save_best_only = true};
  watcher->attach(model, {});
  watcher->on_epoch_end(0, {{"loss", 1.0}});
  EXPECT_EQ(
      log.lines(),
      "ModelCheckpoint watches 'val_accurcy', which is not among the logs of epoch 1: loss.\n");
  EXPECT_EQ(files(), std::vector<std::string>{"x"});
}

// Ends a run at a step, or after an epoch, as what kills a process does.
struct Ends : Callback {
  explicit Ends(int64_t after, int last_epoch = -1) : steps(after), epoch(last_epoch) {}
  bool comes_last() const override { return true; }  // after a save in the same moment
  int64_t steps;
  int epoch;
  void on_train_batch_end(int64_t, const Logs&) override {
    if (--steps == 0) throw std::runtime_error("ended");
  }
  void on_epoch_end(int ended, const Logs&) override {
    if (ended == epoch) throw std::runtime_error("ended");
  }
};

TEST_F(Saving, ARunThatWasEndedGoesOnToTheBit) {
  for (const bool counted : {false, true}) {  // epochs of six steps, or of the data's six batches
    const auto fit = [&](Model& model, std::vector<CallbackPtr> callbacks) {
      const data::Dataset train = counted ? samples().repeat(3) : samples();  // another process's
      return model.fit(train, {.epochs = 3,
                               .steps_per_epoch = counted ? 6 : -1,
                               .validation_data = pairs().batch(4),
                               .callbacks = std::move(callbacks),
                               .verbose = 0});
    };
    Model whole = make_model();
    const History all = fit(whole, {});
    for (const std::optional<int64_t> save_freq : {std::optional<int64_t>(), {1}, {4}, {6}}) {
      for (const int64_t after : {1, 6, 9, 12, 14, 18}) {  // 6, 12: an epoch's last; 18: the run's
        SCOPED_TRACE(str(counted, " ", save_freq.value_or(-1), " ", after));
        SetUp();
        const BackupAndRestore backup{.backup_dir = folder_, .save_freq = save_freq};
        Model first = make_model();
        EXPECT_ANY_THROW(fit(first, {backup, std::make_shared<Ends>(after)}));
        set_seed(99);  // another process
        Model second = make_model();
        const History rest = fit(second, {backup});
        EXPECT_EQ(rest.step_losses, last_of(all.step_losses, rest.step_losses.size()));
        EXPECT_TRUE(second.get_weights() == whole.get_weights());
        // The saved step's epoch is validated and ends, also where that step was its last.
        const int64_t last = save_freq ? after / *save_freq * *save_freq : (after - 1) / 6 * 6 + 1;
        const auto epochs = static_cast<size_t>(3 - std::max<int64_t>(last - 1, 0) / 6);
        EXPECT_EQ(rest.epoch, last_of(all.epoch, epochs));
        EXPECT_EQ(rest.history.at("val_loss"), last_of(all.history.at("val_loss"), epochs));
        EXPECT_EQ(rest.history.at("loss").size(), epochs);
        EXPECT_TRUE(files().empty());  // the run is done
      }
    }
  }
}

// Counts what a run tells it.
struct Heard : Callback {
  int begins = 0, ends = 0, epochs = 0;
  void on_train_begin() override { ++begins; }
  void on_train_end(const Logs&) override {
    ++ends;
    EXPECT_FALSE(model().input_state().empty());  // may be asked for, without a step
  }
  void on_epoch_begin(int) override { ++epochs; }
  bool wants_input_state() const override { return true; }
};

TEST_F(Saving, ARunWhoseEpochsAreAllDoneIsEnded) {
  const BackupAndRestore backup{.backup_dir = folder_};
  Model first = make_model();
  EXPECT_ANY_THROW(first.fit(
      samples(), {.epochs = 2, .callbacks = {backup, std::make_shared<Ends>(0, 1)}, .verbose = 0}));
  EXPECT_EQ(files(), (std::vector<std::string>{"previous.safetensors", "state.safetensors"}));
  Model second = make_model();
  const auto heard = std::make_shared<Heard>();
  const CaughtLog log;
  second.fit(samples(), {.epochs = 2, .callbacks = {backup, heard}, .verbose = 0});
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(second.get_weights() == first.get_weights());
  EXPECT_EQ(heard->begins, 1);
  EXPECT_EQ(heard->ends, 1);
  EXPECT_EQ(heard->epochs, 0);
  EXPECT_EQ(log.lines(),
            str("BackupAndRestore: all epochs were done, by ", path("state.safetensors"), "\n"));
}

TEST_F(Saving, StepsCountFromTheFirstOfARunThatIsTakenUp) {
  const CallbackPtr callback = ModelCheckpoint{.filepath = path("{batch}"), .save_freq = 3};
  const Model model = make_model();
  callback->attach(model, {});
  callback->on_epoch_begin(0);
  for (int64_t step = 700; step < 704; ++step) {
    callback->on_train_batch_begin(step);
    callback->on_train_batch_end(step, {});
  }
  EXPECT_EQ(files(), std::vector<std::string>{"703"});
}

TEST_F(Saving, ALayerMayBeNamedAsTheRun) {
  const auto make = [] {
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1, .name = "training"}});
    model.compile({.optimizer = "adam", .loss = "mse"});
    return model;
  };
  Model model = make(), again = make();
  model.fit(samples(), {.callbacks = {ModelCheckpoint{.filepath = path("x")}}, .verbose = 0});
  again.load_weights(path("x"));
  EXPECT_TRUE(again.get_weights() == model.get_weights());
  EXPECT_EQ(again.optimizer().iterations().literal().item<int32_t>(), 6);
}

TEST_F(Saving, ABackupThatDoesNotFitIsRefused) {
  const BackupAndRestore backup{.backup_dir = folder_, .delete_checkpoint = false};
  Model model = make_model();
  model.fit(samples(), {.epochs = 1, .callbacks = {backup}, .verbose = 0});
  const std::string file = path("state.safetensors"), whole = io::read_file(file);
  Model other = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
  other.compile({.optimizer = "adam", .loss = "mse"});
  const std::vector<Literal> before = other.get_weights();
  const auto refused = [&](Model& refusing) {
    return message_of<InvalidArgument>(
        [&] { refusing.fit(samples(), {.callbacks = {backup}, .verbose = 0}); });
  };
  expect_parts(refused(other),
               {"the weights in", "mismatched: dense/kernel is f32[3,4] in the file",
                "unexpected: dense_1/bias", "build the model with the layers"});
  EXPECT_TRUE(other.get_weights() == before);
  Model descending = make_model();
  descending.compile({.optimizer = "sgd", .loss = "mse"});
  expect_parts(refused(descending),
               {"the state of the optimizer in", "unexpected: /training/optimizer/",
                "compile the model with the optimizer of that run"});
  const CaughtLog log;
  descending.load_weights(file);
  EXPECT_TRUE(descending.get_weights() == model.get_weights());
  EXPECT_NE(log.lines().find("is not that of an SGD"), std::string::npos) << log.lines();
  for (size_t part = 0; part < 16; ++part) {
    io::write_file(file, whole.substr(0, whole.size() * part / 16));
    EXPECT_THROW(make_model().fit(samples(), {.callbacks = {backup}, .verbose = 0}), DataLoss);
  }
  make_model().save_weights(file);
  EXPECT_THROW(make_model().fit(samples(), {.callbacks = {backup}, .verbose = 0}), DataLoss);
}

TEST_F(Saving, LogsAreLinesOfAFile) {
  const Model model = make_model();
  const auto run = [&](const CSVLogger& options, const std::vector<Logs>& epochs) {
    const CallbackPtr callback = options;
    callback->attach(model, {});
    callback->on_train_begin();
    for (size_t i = 0; i < epochs.size(); ++i)
      callback->on_epoch_end(static_cast<int>(i), epochs[i]);
    callback->on_train_end({});
    return io::read_file(options.filename);
  };
  const std::string file = path("run/log.csv");
  const Logs logs = {{"loss", 0.5}, {"val_loss", 2}};
  EXPECT_EQ(run({.filename = file}, {logs, {{"loss", 0.25}}}),
            "epoch,loss,val_loss\n0,0.5,2\n1,0.25,NA\n");
  EXPECT_EQ(run({.filename = file, .append = true}, {logs}),
            "epoch,loss,val_loss\n0,0.5,2\n1,0.25,NA\n0,0.5,2\n");
  EXPECT_EQ(run({.filename = file, .separator = ";"}, {logs}), "epoch;loss;val_loss\n0;0.5;2\n");
}

// Read by the TFRecord reader, which checks lengths and checksums. The bytes are those that
// tensorboard's event_file_loader reads: their fields are compared.
TEST_F(Saving, LogsAreEventsOfTensorBoard) {
  Model model = make_model();
  const CallbackPtr callback = TensorBoard{.log_dir = folder_};
  callback->attach(model, {});
  callback->on_train_begin();
  callback->on_epoch_end(2, {{"loss", 0.5}, {"val_loss", 0.25}});
  EXPECT_EQ(files(), (std::vector<std::string>{"train", "validation"}));
  const auto bits = [](float value) {
    std::string bytes(sizeof value, 0);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  };
  const std::string loss =
      "\x2a\x13\x0a\x11\x0a\x0a"
      "epoch_loss"
      "\x15" +
      bits(0.25f);
  const std::vector<std::string> events = io::glob(folder_ + "/validation/events.out.tfevents.*");
  ASSERT_EQ(events.size(), 1u);
  io::TFRecordReader reader(events[0]);
  std::string_view record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_TRUE(
      record.ends_with("\x1a\x0d"
                       "brain.Event:2"));
  ASSERT_TRUE(reader.next(record));
  ASSERT_EQ(record.size(), 9 + 2 + loss.size());  // after the time, the step
  EXPECT_EQ(record.substr(9, 2), "\x10\x02");
  EXPECT_EQ(record.substr(11), loss);
  EXPECT_FALSE(reader.next(record));
}

}  // namespace
}  // namespace systolic
