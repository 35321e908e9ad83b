// Which checkpoints TrainingCheckpoint keeps, in which order they are written, and from which one a
// run goes on. That it goes on to the bit, wherever it was ended: resume_test.cc.
#include "systolic/train/callbacks/saving/training_checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/files/test_memory_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/callbacks/saving/backup_and_restore.h"
#include "systolic/train/test_models.h"
#include "systolic/train/weights/steps/step_folder.h"

namespace systolic {
namespace {

constexpr int64_t steps_per_epoch = 4;

struct CheckpointRun {
  std::vector<CallbackPtr> callbacks = {};
  int epochs = 3;
  std::string resume = {};
  std::optional<std::chrono::duration<double>> stop_after = {};
  bool validates = false;
};

struct CheckpointResult {
  History history;
  std::vector<Literal> weights;
};

CheckpointResult train_with_checkpoints(const CheckpointRun& run) {
  Model model = small_model();
  const Arrays arrays = three_classes(40);
  FitOptions options{.epochs = run.epochs,
                     .callbacks = run.callbacks,
                     .resume = run.resume,
                     .stop_after = run.stop_after,
                     .verbose = 0,
                     .on_interrupt = OnInterrupt::stop};
  if (run.validates) options.validation_data = batches(arrays, 10);
  CheckpointResult result;
  result.history = model.fit(
      data::from_tensor_slices(std::pair(arrays.x, arrays.y)).shuffle(40, {.seed = 5}).batch(10),
      options);
  result.weights = model.get_weights();
  return result;
}

std::vector<int64_t> steps_in(const std::string& directory) {
  std::vector<int64_t> steps;
  for (const StepCheckpoint& one : step_checkpoints(directory)) steps.push_back(one.step);
  return steps;
}

TEST(TrainingCheckpoint, KeepsTheLastAndTheBest) {
  struct Row {
    std::optional<int64_t> save_freq, max_to_keep;
    std::vector<int64_t> wanted;
  };
  for (const bool asynchronous : {true, false}) {
    for (const Row& row : {Row{{}, 5, {4, 8, 12}}, Row{{}, 2, {8, 12}}, Row{5, {}, {5, 10, 12}},
                           Row{3, 1, {12}}, Row{100, 3, {12}}}) {
      const TemporaryFolder folder;
      train_with_checkpoints({.callbacks = {TrainingCheckpoint{.directory = folder / "run",
                                                               .save_freq = row.save_freq,
                                                               .max_to_keep = row.max_to_keep,
                                                               .asynchronous = asynchronous}}});
      EXPECT_EQ(steps_in(folder / "run"), row.wanted) << row.save_freq.value_or(-1);
      EXPECT_FALSE(io::exists(folder / "run/owner.lock"));
    }
  }
  // The loss falls: by `max` the first is the best.
  const TemporaryFolder folder;
  const CheckpointResult whole =
      train_with_checkpoints({.callbacks = {TrainingCheckpoint{.directory = folder / "run",
                                                               .max_to_keep = 1,
                                                               .monitor = "val_loss",
                                                               .mode = MonitorMode::max}},
                              .validates = true});
  EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{4, 12}));
  const StepCheckpoint best = best_checkpoint(folder / "run");
  EXPECT_EQ(best.step, 4);
  EXPECT_EQ(best.value, whole.history.history.at("val_loss").front());
  EXPECT_TRUE(best.larger_is_better);
  Model model = small_model();
  model.load_weights(step_checkpoints(folder / "run").back().file());
  EXPECT_TRUE(model.get_weights() == whole.weights);
}

TEST(TrainingCheckpoint, TheBestOutlivesARunThatIsTakenUp) {
  const TemporaryFolder folder;
  const auto train = [&](int epochs) {
    train_with_checkpoints({.callbacks = {TrainingCheckpoint{.directory = folder / "run",
                                                             .save_freq = 2,
                                                             .max_to_keep = 1,
                                                             .monitor = "loss",
                                                             .mode = MonitorMode::max}},
                            .epochs = epochs,
                            .resume = "auto"});
  };
  train(1);
  EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{2, 4}));
  const CaughtLog log;
  train(3);
  EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{2, 12}));
  EXPECT_EQ(log.warnings(), "");
}

TEST(TrainingCheckpoint, ARunIsTakenUpOnlyWhereItIsAskedFor) {
  const TemporaryFolder folder;
  const TrainingCheckpoint checkpoint{.directory = folder / "run"};
  const CheckpointResult whole = train_with_checkpoints({});
  const CaughtLog log;
  // There is none yet.
  EXPECT_TRUE(
      train_with_checkpoints({.callbacks = {checkpoint}, .epochs = 2, .resume = "auto"}).weights !=
      whole.weights);
  const auto message = [&](const CheckpointRun& run) {
    return message_of<Error>([&] { train_with_checkpoints(run); });
  };
  EXPECT_CONTAINS(message({.callbacks = {checkpoint}}),
                  "holds checkpoints of a run, the last of step 8");
  EXPECT_CONTAINS(message({.callbacks = {checkpoint}, .resume = folder / "run/step_000004"}),
                  "a fit that goes on from step 4");
  EXPECT_CONTAINS(message({.callbacks = {checkpoint}, .resume = folder / "run/step_000005"}),
                  "is no whole checkpoint of a run");
  EXPECT_CONTAINS(message({.resume = "auto"}), "no callback takes up a run");
  EXPECT_CONTAINS(
      message({.callbacks = {BackupAndRestore{.backup_dir = folder / "backup"}}, .resume = "auto"}),
      "no callback takes up a run");
  // Into another directory: the run's own stays as it is.
  const TrainingCheckpoint other{.directory = folder / "other"};
  EXPECT_TRUE(train_with_checkpoints({.callbacks = {other}, .resume = folder / "run/step_000004"})
                  .weights == whole.weights);
  EXPECT_EQ(steps_in(folder / "other"), (std::vector<int64_t>{8, 12}));
  EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{4, 8}));
  EXPECT_TRUE(train_with_checkpoints({.callbacks = {checkpoint}, .resume = "auto"}).weights ==
              whole.weights);
  // All was done: nothing is trained.
  const CheckpointResult again =
      train_with_checkpoints({.callbacks = {checkpoint}, .resume = "auto"});
  EXPECT_TRUE(again.weights == whole.weights);
  EXPECT_TRUE(again.history.step_losses.empty());
}

TEST(TrainingCheckpoint, DamagedOnesArePassedOverAndSaid) {
  const CheckpointResult whole = train_with_checkpoints({});
  for (const bool is_cut : {false, true}) {
    const TemporaryFolder folder;
    const TrainingCheckpoint checkpoint{.directory = folder / "run"};
    train_with_checkpoints({.callbacks = {checkpoint}, .epochs = 2});
    for (const int64_t step : {8, 4}) {
      const std::string path = str(folder / "run/step_00000", step, "/state.safetensors");
      std::string bytes = io::read_file(path);
      bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 4);
      if (is_cut) bytes.resize(bytes.size() / 2);
      put_file(path, bytes);
      const CaughtLog log;
      if (step == 4) {
        EXPECT_THROW(train_with_checkpoints({.callbacks = {checkpoint}, .resume = "auto"}),
                     DataLoss);
      } else {
        EXPECT_TRUE(train_with_checkpoints({.callbacks = {checkpoint}, .resume = "auto"}).weights ==
                    whole.weights);
        EXPECT_CONTAINS(log.warnings(), "step_000008' is taken, as that cannot be: ");
        EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{4, 8, 12}));
        std::filesystem::remove_all(folder / "run/step_000012");
        const std::string again = io::read_file(path);
        EXPECT_NE(again, bytes);  // written anew
        put_file(path, bytes);
      }
    }
  }
}

// As `count` processes of a run do, which have one place in the data, or each its own.
void write_in_parts(const StepCheckpoint& one, int count, const std::string& run,
                    bool own_rows = false) {
  Model model = small_model();
  const TrainingPlace place = load_training(model, one.file(), {});
  for (int i = 1; i < count; ++i) {
    const TrainingPart part{.index = i, .count = count, .run = run};
    TrainingPlace own = place;
    own.input = own_rows ? str("place of ", i) : "";
    write_step_part(one, training_snapshot(model, own, part), part, {});
  }
  check_step_parts(one, count, {});
  write_step_checkpoint(one, training_snapshot(model, place, {.count = count, .run = run}), {});
}

TEST(TrainingCheckpoint, PartsOfSeveralProcessesAreOneCheckpoint) {
  const CheckpointResult whole = train_with_checkpoints({});
  for (const int count : {2, 3, 40}) {  // 40: more than there are arrays
    const TemporaryFolder folder;
    const TrainingCheckpoint checkpoint{.directory = folder / "run"};
    train_with_checkpoints({.callbacks = {checkpoint}, .epochs = 2});
    const StepCheckpoint one = step_checkpoints(folder / "run").back();
    const std::vector<std::string> names = io::read_safetensors(one.file()).tensors.names();
    write_in_parts(one, count, "a");
    std::vector<std::string> found = io::read_safetensors(one.file()).tensors.names();
    EXPECT_LT(found.size(), names.size());
    for (int i = 1; i < count; ++i) {
      const auto part = io::read_safetensors(part_path(one.file(), {.index = i, .count = count}));
      for (const std::string& name : part.tensors.names()) found.push_back(name);
    }
    EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), names.begin(), names.end()));
    EXPECT_TRUE(train_with_checkpoints({.callbacks = {checkpoint}, .resume = "auto"}).weights ==
                whole.weights);
  }
}

TEST(TrainingCheckpoint, EachProcessGoesOnFromItsOwnPlaceInTheData) {
  const TemporaryFolder folder;
  train_with_checkpoints(
      {.callbacks = {TrainingCheckpoint{.directory = folder / "run"}}, .epochs = 1});
  const StepCheckpoint one = step_checkpoints(folder / "run").back();
  Model model = small_model();
  const std::string first = load_training(model, one.file(), {}).input;
  for (const bool own_rows : {false, true}) {
    write_in_parts(one, 3, "a", own_rows);
    for (const int process : {0, 1, 2, 3, 40}) {
      const bool has_own = own_rows && process > 0 && process < 3;
      EXPECT_EQ(load_training(model, one.file(), {}, process).input,
                has_own ? str("place of ", process) : first);
    }
  }
}

TEST(TrainingCheckpoint, PartsThatAreMissingDamagedOrOfAnotherRunArePassedOver) {
  const CheckpointResult whole = train_with_checkpoints({});
  for (const char* fault : {"missing", "cut", "another run"}) {
    const TemporaryFolder folder;
    const TrainingCheckpoint checkpoint{.directory = folder / "run"};
    train_with_checkpoints({.callbacks = {checkpoint}, .epochs = 2});
    const StepCheckpoint one = step_checkpoints(folder / "run").back();
    write_in_parts(one, 3, "a");
    const std::string part = part_path(one.file(), {.index = 2, .count = 3});
    const std::string first = io::read_file(one.file()), bytes = io::read_file(part);
    if (fault == std::string("missing")) std::filesystem::remove(part);
    if (fault == std::string("cut")) put_file(part, bytes.substr(0, bytes.size() / 2));
    if (fault == std::string("another run")) {
      write_in_parts(one, 3, "b");
      put_file(one.file(), first);
    }
    EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{4, 8}));
    const CaughtLog log;
    EXPECT_TRUE(train_with_checkpoints({.callbacks = {checkpoint}, .resume = "auto"}).weights ==
                whole.weights)
        << fault;
    EXPECT_CONTAINS(log.warnings(), "step_000008' is taken, as that cannot be: ");
    if (fault == std::string("another run")) {
      EXPECT_CONTAINS(log.warnings(), "does not belong to the other parts of its checkpoint");
    }
  }
  const TemporaryFolder folder;
  EXPECT_CONTAINS(error_of([&] { check_step_parts({.path = folder / "run", .step = 8}, 2, {}); }),
                  "which process 1 has written");
}

TEST(TrainingCheckpoint, WhatWasNotCommittedIsNone) {
  const TemporaryFolder folder;
  const TrainingCheckpoint checkpoint{.directory = folder / "run"};
  const CheckpointResult whole = train_with_checkpoints({});
  train_with_checkpoints({.callbacks = {checkpoint}, .epochs = 2});
  std::filesystem::remove(folder / "run/step_000008/commit_success.txt");
  std::filesystem::create_directories(folder / "run/step_000011");
  put_file(folder / "run/step_000011/state.safetensors.tmp-host-0", "x");
  put_file(folder / "run/step_12.txt", "of the user's");
  const CaughtLog log;
  EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{4}));
  EXPECT_TRUE(train_with_checkpoints({.callbacks = {checkpoint}, .resume = "auto"}).weights ==
              whole.weights);
  EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{4, 8, 12}));
  EXPECT_FALSE(io::exists(folder / "run/step_000011"));
  EXPECT_TRUE(io::exists(folder / "run/step_12.txt"));
}

TEST(TrainingCheckpoint, ASessionEndsInTimeAndTheNextGoesOn) {
  const TemporaryFolder folder;
  const CheckpointResult whole = train_with_checkpoints({.validates = true});
  int64_t steps = 0;
  for (int session = 0;; ++session) {
    ASSERT_LT(session, 20);
    const CaughtLog log;
    const CheckpointResult result = train_with_checkpoints(
        {.callbacks = {TrainingCheckpoint{.directory = folder / "run", .max_to_keep = 1}},
         .resume = "auto",
         .stop_after = std::chrono::nanoseconds(1),
         .validates = true});
    EXPECT_FALSE(result.history.interrupted);
    steps += static_cast<int64_t>(result.history.step_losses.size());
    if (!result.history.out_of_time) {
      EXPECT_TRUE(result.weights == whole.weights);
      break;
    }
    EXPECT_CONTAINS(log.lines(), "Stopped by stop_after after step ");
    EXPECT_EQ(steps_in(folder / "run"), (std::vector<int64_t>{steps}));
  }
  EXPECT_EQ(steps, 3 * steps_per_epoch);
  EXPECT_CONTAINS(message_of<InvalidArgument>(
                      [&] { train_with_checkpoints({.stop_after = std::chrono::seconds(0)}); }),
                  "stop_after = 0 seconds");
}

TEST(TrainingCheckpoint, AnotherNumberOfCoresGoesOn) {
  const TemporaryFolder folder;
  const auto train = [&](int cores, int epochs, const std::string& name) {
    TPUClusterResolver resolver("v3-8", {.cores = cores});
    initialize_tpu_system(resolver);
    const TPUStrategy strategy(resolver);
    Model model = strategy.scope([] { return small_model(); });
    const CaughtLog log;
    return model
        .fit(batches(three_classes(40), 8),
             {.epochs = epochs,
              .callbacks = {TrainingCheckpoint{.directory = folder / name, .save_freq = 3}},
              .resume = "auto",
              .verbose = 0})
        .step_losses;
  };
  const std::vector<float> whole = train(1, 3, "whole");
  ASSERT_EQ(train(1, 1, "run").size(), 5u);
  const std::vector<float> rest = train(8, 3, "run");
  ASSERT_EQ(rest.size(), 10u);
  for (size_t i = 0; i < rest.size(); ++i) EXPECT_NEAR(rest[i], whole[i + 5], 1e-5) << i;
}

TEST(TrainingCheckpoint, TheMarkerComesLastAndGoesFirst) {
  const auto files = std::make_shared<MemoryFiles>();
  io::register_file_system("memory", files);
  const TrainingCheckpoint checkpoint{.directory = "memory://bucket/run", .max_to_keep = 1};
  train_with_checkpoints({.callbacks = {checkpoint}, .epochs = 2});
  const std::string first = "memory://bucket/run/step_000004/",
                    second = "memory://bucket/run/step_000008/";
  EXPECT_EQ(files->changes,
            (std::vector<std::string>{
                "+" + first + "state.safetensors", "+" + first + "commit_success.txt",
                "+" + second + "state.safetensors", "+" + second + "commit_success.txt",
                "-" + first + "commit_success.txt", "-" + first + "state.safetensors"}));
  const CaughtLog log;
  EXPECT_TRUE(train_with_checkpoints({.callbacks = {checkpoint}, .resume = "auto"}).weights ==
              train_with_checkpoints({}).weights);
}

TEST(TrainingCheckpoint, OneRunHasADirectory) {
  const TemporaryFolder folder;
  const auto train = [&](const CallbackPtr& other) {
    train_with_checkpoints(
        {.callbacks = {TrainingCheckpoint{.directory = folder / "run"}, other}, .epochs = 1});
  };
  train(LambdaCallback({.on_train_begin = [&] {
    EXPECT_CONTAINS(message_of<FailedPrecondition>([&] { train(LambdaCallback({})); }),
                    str("TrainingCheckpoint: another run has '", folder / "run/owner.lock'"));
  }}));
}

TEST(TrainingCheckpoint, RefusesWhatItCannotDo) {
  const TemporaryFolder folder;
  const auto message = [&](const TrainingCheckpoint& checkpoint) {
    return message_of<InvalidArgument>(
        [&] { train_with_checkpoints({.callbacks = {checkpoint}, .epochs = 1}); });
  };
  EXPECT_CONTAINS(message({.directory = ""}), "without a directory");
  EXPECT_CONTAINS(message({.directory = folder / "run", .max_to_keep = 0}), "max_to_keep = 0");
  EXPECT_CONTAINS(message({.directory = folder / "run", .save_freq = 0}), "save_freq = 0");
  EXPECT_CONTAINS(message({.directory = folder / "run", .monitor = "val_loss"}),
                  "TrainingCheckpoint monitors 'val_loss', and fit has nothing to validate with");
  EXPECT_THROW(best_checkpoint(folder / "run"), NotFound);
}

}  // namespace
}  // namespace systolic
