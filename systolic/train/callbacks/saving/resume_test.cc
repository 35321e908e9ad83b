// A run that was ended, at whatever moment and in whatever way, and taken up by BackupAndRestore is
// the run that was never ended: losses, logs, weights, the learning rate, what callbacks know and
// the files that they write.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/callbacks/early_stopping.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/train/callbacks/logging/csv_logger.h"
#include "systolic/train/callbacks/reduce_lr_on_plateau.h"
#include "systolic/train/callbacks/saving/backup_and_restore.h"
#include "systolic/train/callbacks/saving/model_checkpoint.h"
#include "systolic/train/callbacks/saving/training_checkpoint.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

constexpr int64_t steps_of_epoch = 6;
constexpr int most_epochs = 14;

// A callback of a user's.
struct LossTally : Callback {
  double losses = 0;
  int64_t epochs = 0;
  void on_epoch_end(int, const Logs& logs) override {
    losses += log_value(logs, "loss");
    ++epochs;
  }
  Example save_state() const override { return {{"losses", losses}, {"epochs", epochs}}; }
  void load_state(const Example& state) override {
    losses = state["losses"].item<double>();
    epochs = state["epochs"].item<int64_t>();
  }
};

// EndsRun a run: as what kills a process does, or as Ctrl-C and its like do.
struct RunEnding {
  int64_t step = -1;   // of the run, from 1
  int epoch = -1;      // after the end of it, from 0
  int test_step = -1;  // of the validation of that epoch
  int signal = 0;      // 0: a callback throws
};
struct EndsRun : Callback {
  explicit EndsRun(RunEnding ending) : at(ending) {}
  RunEnding at;
  int64_t steps = 0;
  int epochs = 0;
  void on_train_batch_end(int64_t, const Logs&) override { end(++steps == at.step); }
  void on_test_batch_end(int64_t step, const Logs&) override {
    end(at.test_step >= 0 && epochs == at.epoch && step == at.test_step);
  }
  void on_epoch_end(int, const Logs&) override {
    const bool last = epochs++ == at.epoch;
    end(last && at.test_step < 0);
  }
  void end(bool now) const {
    if (now && at.signal != 0) std::raise(at.signal);
    if (now && at.signal == 0) throw std::runtime_error("ended");
  }
};

struct RunOutcome {
  History history;
  std::vector<Literal> weights;
  double rate = 0, tally = 0;
  int64_t epochs = 0;  // of the tally
  std::map<std::string, std::string> files;
};

struct RunSetting {
  bool counted = false;  // steps_per_epoch of data that goes on, or epochs of the data's own
  std::optional<int64_t> save_freq = {};
  bool backup_first = false;  // among the callbacks
  bool in_steps = false;      // by TrainingCheckpoint, not BackupAndRestore
};

RunOutcome train_to_end(const TemporaryFolder& folder, const RunSetting& run,
                        const RunEnding& ending) {
  set_seed(3);
  Model model = Sequential({Input{.shape = {3}}, Dense{.units = 4, .activation = "relu"},
                            Dropout{.rate = 0.3}, Dense{.units = 1}});
  model.compile(
      {.optimizer = Adam{.learning_rate = 0.1}, .loss = "mse", .metrics = {"mae", "mse"}});
  const data::Dataset rows = data::from_tensor_slices(
      std::pair(host_normal({24, 3}, 0, 1, 1), host_normal({24, 1}, 0, 1, 2)));
  const data::Dataset batches = rows.shuffle(24, {.seed = 5}).batch(4);
  const auto tally = std::make_shared<LossTally>();
  CallbackPtr backup =
      BackupAndRestore{.backup_dir = folder / "backup", .save_freq = run.save_freq};
  if (run.in_steps)
    backup = TrainingCheckpoint{
        .directory = folder / "steps", .save_freq = run.save_freq, .max_to_keep = 2};
  std::vector<CallbackPtr> callbacks = {
      tally,
      EarlyStopping{.monitor = "loss", .patience = 2, .restore_best_weights = true},
      ReduceLROnPlateau{.monitor = "loss", .factor = 0.5, .patience = 1, .cooldown = 1},
      ModelCheckpoint{.filepath = folder / "best", .monitor = "loss", .save_best_only = true},
      ModelCheckpoint{.filepath = folder / "{epoch}-{batch}", .save_freq = 5},
      CSVLogger{.filename = folder / "log.csv"},
      std::make_shared<EndsRun>(ending)};
  callbacks.insert(run.backup_first ? callbacks.begin() : callbacks.end(), backup);
  RunOutcome outcome;
  outcome.history = model.fit(run.counted ? batches.repeat() : batches,
                              {.epochs = most_epochs,
                               .steps_per_epoch = run.counted ? steps_of_epoch : -1,
                               .validation_data = rows.batch(8),
                               .validation_freq = 2,
                               .callbacks = callbacks,
                               .resume = run.in_steps ? "auto" : "",
                               .verbose = 0,
                               .on_interrupt = OnInterrupt::stop});
  if (!outcome.history.interrupted) std::filesystem::remove_all(folder / "steps");
  outcome.weights = model.get_weights();
  outcome.rate = model.optimizer().learning_rate().item<double>();
  outcome.tally = tally->losses;
  outcome.epochs = tally->epochs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "."))
    if (entry.is_regular_file())
      outcome.files[entry.path().filename().string()] = io::read_file(entry.path().string());
  return outcome;
}

void expect_rest(const RunOutcome& rest, const RunOutcome& whole) {
  EXPECT_TRUE(rest.weights == whole.weights);
  EXPECT_EQ(rest.rate, whole.rate);
  EXPECT_EQ(rest.tally, whole.tally);
  EXPECT_EQ(rest.epochs, whole.epochs);
  EXPECT_TRUE(rest.files == whole.files);
  EXPECT_EQ(rest.files.at("log.csv"), whole.files.at("log.csv"));
  for (const auto& [name, bytes] : whole.files)
    EXPECT_TRUE(rest.files.count(name) == 1 && rest.files.at(name) == bytes) << name;
  for (const auto& [name, values] : rest.history.history) {
    const std::vector<double>& all = whole.history.history.at(name);
    ASSERT_LE(values.size(), all.size()) << name;
    EXPECT_TRUE(std::equal(values.rbegin(), values.rend(), all.rbegin())) << name;
  }
}

TEST(Resume, ARunThatIsTakenUpIsTheRunThatWasNeverEnded) {
  const RunEnding endings[] = {{.step = 1},
                               {.step = 9},
                               {.step = 12},
                               {.step = 16},
                               {.step = 24},
                               {.epoch = 2},
                               {.epoch = 3},
                               {.epoch = 4},
                               {.epoch = 3, .test_step = 1},
                               {.step = 9, .signal = SIGINT},
                               {.step = 12, .signal = SIGTERM},
                               {.step = 20, .signal = SIGHUP},
                               {.epoch = 3, .test_step = 1, .signal = SIGTERM}};
  for (const bool counted : {false, true}) {
    const TemporaryFolder of_whole;
    const RunOutcome whole = train_to_end(of_whole, {.counted = counted}, {});
    ASSERT_LT(whole.epochs, most_epochs);  // it is stopped,
    ASSERT_LT(whole.rate, 0.1);            // after a plateau
    ASSERT_GT(whole.epochs, 5);
    int number = 0;
    for (const std::optional<int64_t> save_freq : {std::optional<int64_t>(), {1}, {6}, {7}}) {
      for (const RunEnding& ending : endings) {
        ++number;
        const RunSetting run{.counted = counted,
                             .save_freq = save_freq,
                             .backup_first = number % 2 == 0,
                             .in_steps = number % 4 < 2};
        SCOPED_TRACE(str(counted, " ", save_freq.value_or(-1), " ", ending.step, " ", ending.epoch,
                         " ", ending.test_step, " ", ending.signal));
        const TemporaryFolder folder;
        const CaughtLog log;
        if (ending.signal == 0) {
          EXPECT_THROW(train_to_end(folder, run, ending), std::runtime_error);
        } else {
          EXPECT_TRUE(train_to_end(folder, run, ending).history.interrupted);
        }
        expect_rest(train_to_end(folder, run, {}), whole);
        EXPECT_EQ(log.warnings(), "");
      }
    }
  }
}

// The loss never falls: a plateau of four epochs, and the end after six that do not improve.
TEST(Resume, PatienceGoesOn) {
  const auto fit = [](const TemporaryFolder& folder, RunEnding ending) {
    set_seed(3);
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
    model.compile({.optimizer = SGD{.learning_rate = 1e-30}, .loss = "mse"});
    return model
        .fit(host_normal({8, 3}, 0, 1, 1), host_normal({8, 1}, 0, 1, 2),
             {.epochs = 20,
              .shuffle = false,
              .callbacks = {BackupAndRestore{.backup_dir = folder / "run"},
                            ReduceLROnPlateau{.monitor = "loss", .patience = 4},
                            EarlyStopping{.monitor = "loss", .patience = 6},
                            std::make_shared<EndsRun>(ending)},
              .verbose = 0})
        .epoch.back();
  };
  const CaughtLog log;
  const TemporaryFolder whole, cut;
  EXPECT_EQ(fit(whole, {}), 6);
  EXPECT_ANY_THROW(fit(cut, {.step = 4}));
  EXPECT_EQ(fit(cut, {}), 6);
}

TEST(Resume, ARunThatWasStoppedAndEndedBeforeItsEndIsOver) {
  const TemporaryFolder folder;
  const auto fit = [&](bool ends) {
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    const CallbackPtr stops = LambdaCallback({.on_train_end =
                                                  [ends](const Logs&) {
                                                    if (ends) throw std::runtime_error("ended");
                                                  },
                                              .on_epoch_end =
                                                  [&model](int epoch, const Logs&) {
                                                    if (epoch == 1) model.stop_training();
                                                  }});
    return model.fit(host_normal({8, 3}, 0, 1, 1), host_normal({8, 1}, 0, 1, 2),
                     {.epochs = 9,
                      .callbacks = {stops, BackupAndRestore{.backup_dir = folder / "run"}},
                      .verbose = 0});
  };
  const CaughtLog log;
  EXPECT_ANY_THROW(fit(true));
  EXPECT_TRUE(fit(false).step_losses.empty());
  EXPECT_EQ(fit(false).epoch.size(), 2u);  // anew: what was done is done
}

TEST(Resume, StatesThatFindNobodyAreSaid) {
  const TemporaryFolder folder;
  const auto fit = [&](std::vector<CallbackPtr> callbacks, int epochs) {
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    callbacks.push_back(BackupAndRestore{.backup_dir = folder / "run", .delete_checkpoint = false});
    model.fit(host_normal({8, 3}, 0, 1, 1), host_normal({8, 1}, 0, 1, 2),
              {.epochs = epochs, .callbacks = callbacks, .verbose = 0});
  };
  fit({EarlyStopping{.monitor = "loss"}}, 1);
  const CaughtLog log;
  fit({std::make_shared<LossTally>()}, 2);
  EXPECT_CONTAINS(log.lines(), "no state of these callbacks, which begin anew: ");
  EXPECT_CONTAINS(log.lines(), "LossTally");
  EXPECT_CONTAINS(log.lines(), "whose state is left: EarlyStopping.");
}

TEST(Resume, TheGenerationBeforeADamagedFileIsTakenAndSaid) {
  const TemporaryFolder folder;
  const auto fit = [&](int epochs) {
    set_seed(3);
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.fit(
        host_normal({8, 3}, 0, 1, 1), host_normal({8, 1}, 0, 1, 2),
        {.epochs = epochs,
         .shuffle = false,
         .callbacks = {BackupAndRestore{.backup_dir = folder / "run", .delete_checkpoint = false}},
         .verbose = 0});
    return model.get_weights();
  };
  const std::string state = folder / "run/state.safetensors",
                    previous = folder / "run/previous.safetensors";
  const std::vector<Literal> whole = fit(3);
  const std::string good = io::read_file(state), before = io::read_file(previous);
  const Example saved = io::read_safetensors(state).tensors;
  for (size_t i = 0; i < 40; ++i) {
    const size_t at = (good.size() - 1) * i / 39;
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << i % 8));
    io::write_file(state, damaged);
    const CaughtLog log;
    EXPECT_TRUE(fit(3) == whole) << at;  // the third epoch again
    EXPECT_CONTAINS(log.lines(), "the file before is taken, as the last one cannot be");
    EXPECT_CONTAINS(log.lines(), "goes on in epoch 3, from");
    // The damaged one did not take its place.
    EXPECT_TRUE(io::read_file(previous) == before) << at;
    // But for the place in the data, which may be said in several ways.
    for (const auto& [name, value] : io::read_safetensors(state).tensors)
      EXPECT_TRUE(name == "/training/input" || value == saved[name]) << name << " at " << at;
  }
  std::filesystem::remove(state);  // the process was killed between two renames
  const CaughtLog log;
  EXPECT_TRUE(fit(3) == whole);
  put_file(state, "x");
  put_file(previous, "x");
  EXPECT_THROW(fit(3), DataLoss);
}

TEST(Resume, OneRunHasAFolder) {
  const TemporaryFolder folder;
  const auto fit = [&](const CallbackPtr& other) {
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    const CallbackPtr backup = BackupAndRestore{.backup_dir = folder / "run"};
    model.fit(host_normal({8, 3}, 0, 1, 1), host_normal({8, 1}, 0, 1, 2),
              {.callbacks = {backup, other}, .verbose = 0});
  };
  const CallbackPtr nothing = LambdaCallback({});
  const CallbackPtr inner = LambdaCallback({.on_train_begin = [&] {
    EXPECT_CONTAINS(message_of<FailedPrecondition>([&] { fit(nothing); }),
                    str("BackupAndRestore: another run has '", folder / "run/owner.lock",
                        "', process ", ::getpid(), " on "));
    throw std::runtime_error("of the callback");
  }});
  EXPECT_ANY_THROW(fit(inner));
  fit(nothing);  // what failed has let go
  EXPECT_FALSE(io::exists(folder / "run/owner.lock"));
}

TEST(Resume, WhatIsOtherThanInTheRunIsSaid) {
  const TemporaryFolder folder;
  const auto fit = [&](double rate, uint64_t seed, int epochs) {
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
    model.compile({.optimizer = Adam{.learning_rate = rate}, .loss = "mse"});
    const data::Dataset rows = data::from_tensor_slices(
        std::pair(host_normal({8, 3}, 0, 1, seed), host_normal({8, 1}, 0, 1, 2)));
    const CaughtLog log;
    model.fit(
        rows.batch(4),
        {.epochs = epochs,
         .callbacks = {BackupAndRestore{.backup_dir = folder / "run", .delete_checkpoint = false}},
         .verbose = 0});
    EXPECT_EQ(model.optimizer().learning_rate().item<float>(), 0.5f);  // that of the file
    return log.warnings();
  };
  EXPECT_EQ(fit(0.5, 1, 1), "");
  EXPECT_EQ(fit(0.5, 1, 2), "");
  EXPECT_CONTAINS(fit(0.25, 1, 3), "compile() was given 0.5 when the run began, and now 0.25");
  expect_parts(fit(0.5, 7, 4), {"fit goes on with other data than the run", "it read: ", "now: "});
}

// Each option of the optimizer, the losses and the metrics; they are those of now.
TEST(Resume, OptionsThatAreOtherThanInTheRunAreSaid) {
  const auto fit = [](const std::string& folder, const CompileOptions& options, int epochs) {
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
    model.compile(options);
    const data::Dataset rows = data::from_tensor_slices(
        std::pair(host_normal({8, 3}, 0, 1, 1), host_normal({8, 1}, 0, 1, 2)));
    const CaughtLog log;
    model.fit(rows.batch(4),
              {.epochs = epochs,
               .callbacks = {BackupAndRestore{.backup_dir = folder, .delete_checkpoint = false}},
               .verbose = 0});
    return log.warnings();
  };
  struct {
    CompileOptions (*before)();  // anew for each model: an optimizer is one model's
    CompileOptions (*now)();
    std::string said;
  } const cases[] = {
      {[] { return CompileOptions{.optimizer = Adam{.beta_1 = 0.9}, .loss = "mse"}; },
       [] { return CompileOptions{.optimizer = Adam{.beta_1 = 0.8}, .loss = "mse"}; },
       "optimizer.beta_1: 0.9, now 0.8"},
      {[] {
         return CompileOptions{.optimizer = Adam{.epsilon = 1e-7, .weight_decay = 0.01},
                               .loss = "mse"};
       },
       [] {
         return CompileOptions{.optimizer = Adam{.epsilon = 1e-5, .weight_decay = 0.02},
                               .loss = "mse"};
       },
       "optimizer.weight_decay: 0.01, now 0.02"},
      {[] { return CompileOptions{.optimizer = SGD{.momentum = 0.9}, .loss = "mse"}; },
       [] {
         return CompileOptions{.optimizer = SGD{.momentum = 0.9, .nesterov = true}, .loss = "mse"};
       },
       "optimizer.nesterov: false, now true"},
      {[] { return CompileOptions{.optimizer = "sgd", .loss = Huber{.delta = 1}}; },
       [] { return CompileOptions{.optimizer = "sgd", .loss = Huber{.delta = 2}}; },
       "loss.delta: 1"},
      {[] { return CompileOptions{.optimizer = "sgd", .loss = "mse"}; },
       [] { return CompileOptions{.optimizer = "sgd", .loss = "mae"}; }, "loss: "},
      {[] { return CompileOptions{.optimizer = "sgd", .loss = "mse"}; },
       [] { return CompileOptions{.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}}; },
       "metrics: [], now ["},
      {[] { return CompileOptions{.optimizer = "sgd", .loss = "mse"}; },
       [] { return CompileOptions{.optimizer = "sgd", .loss = "mse"}; }, ""},
  };
  for (const auto& [before, now, said] : cases) {
    const TemporaryFolder folder;
    EXPECT_EQ(fit(folder / "run", before(), 1), "");
    const std::string warnings = fit(folder / "run", now(), 2);
    if (said.empty()) {
      EXPECT_EQ(warnings, "");
    } else {
      EXPECT_CONTAINS(warnings, "compile() was given other options than when the run began");
      EXPECT_CONTAINS(warnings, said);
    }
    EXPECT_EQ(fit(folder / "run", now(), 3), "");  // what is said once is the run's own then
  }
}

}  // namespace
}  // namespace systolic
