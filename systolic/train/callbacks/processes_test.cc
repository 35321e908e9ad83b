// In a run of several processes what writes does so in process 0 alone, and all read what it wrote.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "systolic/base/process/place_in_run.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/callbacks/early_stopping.h"
#include "systolic/train/callbacks/logging/csv_logger.h"
#include "systolic/train/callbacks/logging/progbar_logger.h"
#include "systolic/train/callbacks/logging/tensor_board.h"
#include "systolic/train/callbacks/saving/backup_and_restore.h"
#include "systolic/train/callbacks/saving/model_checkpoint.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

// This process, as one of several: what its device would say.
class AsProcess {
 public:
  explicit AsProcess(const PlaceInRun& place) {
    default_client();
    set_place_in_run(place);
  }
  ~AsProcess() { set_place_in_run({}); }
  AsProcess(const AsProcess&) = delete;
  AsProcess& operator=(const AsProcess&) = delete;
};

struct CallbackOfProcess : Callback {
  explicit CallbackOfProcess(bool only_writes) : writes(only_writes) {}
  bool writes;
  int epochs = 0, fits = 0, loads = 0, process = -1, processes = -1;
  bool only_writes() const override { return writes; }
  void before_fit(Model&, FitOptions&) override { ++fits; }
  void on_epoch_end(int, const Logs&) override {
    ++epochs;
    process = parameters().process_index;
    processes = parameters().num_processes;
  }
  Example save_state() const override { return {{"epochs", epochs}}; }
  void load_state(const Example&) override { ++loads; }
};

struct SinkOfProcess : EventSink {
  explicit SinkOfProcess(bool everywhere) : in_all(everywhere) {}
  bool in_all;
  int events = 0;
  void handle(const events::Moment&, const Event&) override { ++events; }
  bool in_every_process() const override { return in_all; }
};

std::vector<Literal> fit_as_process(const TemporaryFolder& folder, int epochs,
                                    const std::vector<CallbackPtr>& more,
                                    const std::vector<EventSinkPtr>& sinks = {}) {
  set_seed(3);
  Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
  model.compile({.optimizer = "adam", .loss = "mse"});
  std::vector<CallbackPtr> callbacks{
      BackupAndRestore{.backup_dir = folder / "backup", .delete_checkpoint = false},
      ModelCheckpoint{.filepath = folder / "{epoch}.safetensors"},
      CSVLogger{.filename = folder / "log.csv"}, TensorBoard{.log_dir = folder / "board"},
      ProgbarLogger()};
  callbacks.insert(callbacks.end(), more.begin(), more.end());
  model.fit(host_normal({8, 3}, 0, 1, 1), host_normal({8, 1}, 0, 1, 2),
            {.epochs = epochs, .shuffle = false, .callbacks = callbacks, .event_sinks = sinks});
  return model.get_weights();
}

std::vector<std::string> files_below(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "."))
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  return names;
}

TEST(Processes, OnlyTheFirstWritesAndPrints) {
  const CaughtLog log;
  for (const int index : {0, 1}) {
    const AsProcess process({.index = index, .count = 2});
    const TemporaryFolder folder;
    const auto own = std::make_shared<CallbackOfProcess>(false),
               writer = std::make_shared<CallbackOfProcess>(true);
    const auto here = std::make_shared<SinkOfProcess>(true),
               first = std::make_shared<SinkOfProcess>(false);
    testing::internal::CaptureStdout();
    fit_as_process(folder, 2, {own, writer}, {here, first});
    const std::string printed = testing::internal::GetCapturedStdout();
    const bool is_first = index == 0;
    EXPECT_EQ(printed.empty(), !is_first) << printed;
    EXPECT_EQ(files_below(folder).size(), is_first ? 6u : 0u);
    EXPECT_EQ(own->epochs, 2);
    EXPECT_EQ(own->process, index);
    EXPECT_EQ(own->processes, 2);
    EXPECT_EQ(writer->epochs, is_first ? 2 : 0);
    EXPECT_EQ(writer->fits, 1);
    EXPECT_GT(here->events, 0);
    EXPECT_EQ(first->events > 0, is_first);
  }
}

TEST(Processes, AllGoOnFromWhatTheFirstWrote) {
  const CaughtLog log;
  const TemporaryFolder folder, of_whole;
  const std::vector<Literal> whole = fit_as_process(of_whole, 3, {});
  fit_as_process(folder, 2, {std::make_shared<CallbackOfProcess>(true)});
  const AsProcess process({.index = 1, .count = 2});
  const std::vector<std::string> before = files_below(folder);
  const auto writer = std::make_shared<CallbackOfProcess>(true);
  EXPECT_TRUE(fit_as_process(folder, 3, {writer}) == whole);
  EXPECT_EQ(writer->loads, 1);
  EXPECT_EQ(files_below(folder), before);
}

}  // namespace
}  // namespace systolic
