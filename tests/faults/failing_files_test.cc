// Each call to the system under each callback that writes fails once, or from then on: the run ends
// in an error that says what failed, or goes on; nothing half written has a name; and the next run
// takes up what is there.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/systolic.h"
#include "systolic/train/callbacks/logging/sink_callback.h"
#include "tests/faults/failing_system.h"

namespace systolic {
namespace {

const std::string no_error = "no error";  // as error_of says it

Model make_model() {
  set_seed(3);
  Model model = Sequential({Input{.shape = {3}}, Dense{.units = 2}, Dense{.units = 1}});
  model.compile({.optimizer = Adam{.learning_rate = 0.05}, .loss = "mse"});
  return model;
}

std::vector<Literal> fit(Model model, std::vector<CallbackPtr> callbacks, int epochs,
                         const std::string& resume = {}) {
  model.fit(host_normal({12, 3}, 0, 1, 1), host_normal({12, 1}, 0, 1, 2),
            {.epochs = epochs,
             .batch_size = 4,
             .callbacks = std::move(callbacks),
             .resume = resume,
             .verbose = 0});
  return model.get_weights();
}

struct Writer {
  const char* name;
  std::function<CallbackPtr(const TemporaryFolder&)> make;
  bool ends_training;  // by an error
  // Looks at what is there after a run that failed or not.
  std::function<void(const TemporaryFolder&)> check;
  std::string resume = {};
};

void check_checkpoint(const TemporaryFolder& folder) {
  for (const char* name : {"run/1.safetensors", "run/2.safetensors", "run/3.safetensors"}) {
    if (std::filesystem::exists(folder / name)) make_model().load_weights(folder / name);
  }
}

// All that counts is whole.
void check_steps(const TemporaryFolder& folder) {
  for (const StepCheckpoint& one : step_checkpoints(folder / "run"))
    make_model().load_weights(one.file());
}

void check_csv(const TemporaryFolder& folder) {
  if (!std::filesystem::exists(folder / "run/log.csv")) return;
  const std::string text = io::read_file(folder / "run/log.csv");
  EXPECT_EQ(text.substr(0, 11), "epoch,loss\n");
  EXPECT_EQ(text.back(), '\n');
}

void check_events(const TemporaryFolder& folder) {
  if (!std::filesystem::exists(folder / "run/train")) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "run/train")) {
    io::TFRecordReader reader(entry.path().string());
    std::string_view record;
    while (reader.next(record)) {
    }
  }
}

void check_nothing(const TemporaryFolder&) {}

const Writer writers[] = {
    {"BackupAndRestore",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return BackupAndRestore{.backup_dir = folder / "run", .delete_checkpoint = false};
     },
     true, check_nothing},
    {"BackupAndRestore of every fourth step",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return BackupAndRestore{.backup_dir = folder / "run", .save_freq = 4};
     },
     true, check_nothing},
    {"TrainingCheckpoint",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return TrainingCheckpoint{.directory = folder / "run", .max_to_keep = 1};
     },
     true, check_steps, "auto"},
    {"TrainingCheckpoint that fit waits for",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return TrainingCheckpoint{
           .directory = folder / "run", .save_freq = 4, .max_to_keep = 2, .asynchronous = false};
     },
     true, check_steps, "auto"},
    {"ModelCheckpoint",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return ModelCheckpoint{.filepath = folder / "run/{epoch}.safetensors"};
     },
     true, check_checkpoint},
    {"ModelCheckpoint of weights",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return ModelCheckpoint{.filepath = folder / "run/1.safetensors", .save_weights_only = true};
     },
     true, check_checkpoint},
    {"CSVLogger",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return CSVLogger{.filename = folder / "run/log.csv"};
     },
     false, check_csv},
    {"TensorBoard",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return TensorBoard{.log_dir = folder / "run"};
     },
     false, check_events},
    {"JSONLines",
     [](const TemporaryFolder& folder) -> CallbackPtr {
       return callback_for(JSONLines{.filename = folder / "run/log.jsonl", .update_freq = 1});
     },
     false, check_nothing}};

std::vector<std::string> temporary_files(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / ".")) {
    const std::string name = entry.path().filename().string();
    if (name.find(".tmp-") != std::string::npos) names.push_back(name);
  }
  return names;
}

// Whether there was such a call.
bool run_with(const Writer& writer, const Fault& fault, const std::vector<Literal>& whole) {
  const TemporaryFolder folder;
  CaughtLog log;
  bool failed = false;
  std::string error;
  {
    const CallbackPtr callback = writer.make(folder);
    const FailingSystem failing(fault);
    error = error_of([&] { fit(make_model(), {callback}, 3, writer.resume); });
    failed = failing.failed();
  }
  if (!writer.ends_training) {
    EXPECT_EQ(error, no_error);
    // A full disk, too, is one warning, and the training goes on.
    const std::string warnings = log.warnings(), begin = "An event sink failed";
    EXPECT_EQ(warnings.find(begin), warnings.rfind(begin)) << warnings;
    if (fault.call == SystemCall::write) {
      EXPECT_EQ(failed, contains(warnings, begin)) << warnings;
    }
  }
  if (error != no_error) {
    EXPECT_TRUE(contains(error, fault.error == ENOSPC ? "ResourceExhausted" : "Unavailable"))
        << error;
    EXPECT_TRUE(contains(error, "systolic-test-")) << error;
  }
  if (fault.call != SystemCall::unlink) {
    EXPECT_TRUE(temporary_files(folder).empty());
  }
  writer.check(folder);
  EXPECT_TRUE(fit(make_model(), {writer.make(folder)}, 3, writer.resume) == whole);
  EXPECT_TRUE(temporary_files(folder).empty());
  writer.check(folder);
  return failed;
}

TEST(FailingFiles, EveryCallUnderEveryCallback) {
  const std::vector<Literal> whole = fit(make_model(), {}, 3);
  constexpr int64_t most_calls = 200;
  int64_t faults = 0;
  for (const Writer& writer : writers) {
    for (const SystemCall call : {SystemCall::open, SystemCall::write, SystemCall::fsync,
                                  SystemCall::rename, SystemCall::mkdir, SystemCall::unlink}) {
      for (const int error : {EIO, ENOSPC}) {
        const bool stays = error == ENOSPC;  // as a full disk does
        int64_t number = 1;
        for (; number < most_calls; ++number, ++faults) {
          SCOPED_TRACE(str(writer.name, ": ", name_of(call), " ", number, " ", error));
          const Fault fault{.call = call, .number = number, .error = error, .and_later = stays};
          if (!run_with(writer, fault, whole)) break;
        }
        EXPECT_LT(number, most_calls) << writer.name << ": " << name_of(call);
      }
    }
  }
  EXPECT_GT(faults, 300);
}

}  // namespace
}  // namespace systolic
