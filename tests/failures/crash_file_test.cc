// A device that fails in the middle of a fit leaves the file of a run that died.
#include "systolic/monitor/crash/crash_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/monitor/crash/crash_keeper.h"
#include "systolic/monitor/crash/crash_report.h"
#include "systolic/systolic.h"
#include "systolic/trace/device/default_client.h"
#include "tests/failures/failing_device.h"

namespace systolic {
namespace {

TEST(CrashFile, AFaultOfTheDeviceLeavesOne) {
  const TemporaryFolder folder;
  setenv("SYSTOLIC_CRASH", (folder / "crashes").c_str(), 1);
  monitor::keep_crashes();
  set_default_client(failing_device({.layer = "breaks", .runs_before = 3}));
  Model model =
      Sequential({Input{.shape = {2}}, Dense{.units = 4, .name = "breaks"}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{}, .loss = "mse"});
  const Literal x = Literal::filled(DType::f32, {40, 2}, 0.5),
                y = Literal::filled(DType::f32, {40, 1}, 1);
  EXPECT_THROW(model.fit(x, y, {.batch_size = 4, .verbose = 0}), Unavailable);
  set_default_client(nullptr);
  setenv("SYSTOLIC_CRASH", "off", 1);
  const std::vector<std::string> files = monitor::crash_files(folder / "crashes");
  ASSERT_EQ(files.size(), 1u);
  const monitor::CrashReport report = monitor::read_crash_file(files.front());
  EXPECT_EQ(report.cause, monitor::CrashCause::exception);
  expect_parts(
      monitor::explain(report, false),
      {"an exception ended the run: step ", "of train_step", "in breaks: the device stopped",
       "crash_file_test.cc:", "x f32[4,2], y f32[4,1]", "steps done, in epoch 1 of 1"});
  EXPECT_GE(report.steps, 1);
}

}  // namespace
}  // namespace systolic
