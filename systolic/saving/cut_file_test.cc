// A .keras that another program cuts while it is loaded is DataLoss, and never the process's end.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/io/files/test_files.h"
#include "systolic/saving/load_model.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

TEST(CutFile, WhileAModelIsLoaded) {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.keras", path = folder / "model.keras";
  const Model model = Sequential({Input{.shape = {512}}, Dense{.units = 2048}});
  model.save(whole);
  const auto size = std::filesystem::file_size(whole);
  for (int round = 0; round < 24; ++round) {
    std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
    std::atomic<bool> begun{false};
    std::thread other([&] {
      begun.wait(false);
      std::this_thread::sleep_for(std::chrono::microseconds(250 * round));
      std::filesystem::resize_file(path, size / 2);
    });
    begun = true;
    begun.notify_all();
    try {
      load_model(path);
    } catch (const DataLoss&) {  // or it was cut after the last array was read
    }
    other.join();
  }
  EXPECT_THROW(load_model(path), DataLoss);
}

}  // namespace
}  // namespace systolic
