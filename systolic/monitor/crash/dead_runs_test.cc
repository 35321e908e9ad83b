// What a process that is killed leaves in memory goes into the file that its run left.
#include "systolic/monitor/crash/dead_runs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/monitor/crash/crash_report.h"
#include "systolic/monitor/crash/crash_watch.h"
#include "systolic/monitor/sampler/process_start.h"
#include "systolic/monitor/shared_memory/status_writer.h"

namespace systolic {
namespace {

using monitor::RunState;

// A run of one step that leaves a file, and a status of 77 steps that is younger; then it is
// killed.
void be_killed(const std::string& statuses, const std::string& crashes, RunState state) {
  const auto watch = std::make_shared<monitor::CrashWatch>(crashes);
  EventStream stream;
  stream.add(watch);
  stream.publish(events::RunBegin{.name = "convnet", .epochs = 5, .batch_size = 32, .cores = 8});
  stream.publish(events::EpochBegin{1});
  stream.publish(events::StepEnd{.samples = 32});
  stream.publish(events::LossKnown{.loss = 0.5f});
  monitor::StatusWriter writer(statuses);
  const auto status = std::make_unique<monitor::RunStatus>();
  status->process = getpid();
  status->process_start = monitor::process_start(getpid());
  status->state = state;
  status->time = 4'000'000'000;
  status->platform = "software_tpu";
  status->all_cores = 8;
  status->epoch = 3;
  status->epochs = 5;
  status->steps = 77;
  status->loss_step = 76;
  status->loss = 0.25;
  writer.write(*status);
  std::raise(SIGKILL);
}

class DeadRuns : public testing::Test {
 protected:
  DeadRuns() {
    std::string pattern = (std::filesystem::temp_directory_path() / "systolic-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directory(statuses_ = folder_ + "/statuses");
    std::filesystem::permissions(statuses_, std::filesystem::perms::owner_all);
    std::filesystem::create_directory(crashes_ = folder_ + "/crashes");
  }
  ~DeadRuns() override { std::filesystem::remove_all(folder_); }

  pid_t killed(RunState state) const {
    const pid_t child = fork();
    if (child == 0) be_killed(statuses_, crashes_, state);
    int status = 0;
    waitpid(child, &status, 0);
    return child;
  }
  bool has_status(pid_t process) const {
    return std::filesystem::exists(str(statuses_, "/", process));
  }

  std::string folder_, statuses_, crashes_;
};

TEST_F(DeadRuns, TheirLastStatusGoesIntoTheirFile) {
  const pid_t process = killed(RunState::training);
  const std::string path = monitor::crash_file_of(process, crashes_);
  ASSERT_NE(path, "");
  // Written right after the first step: it knows that much without the status.
  const monitor::CrashReport before = monitor::read_crash_file(path);
  EXPECT_EQ(before.steps, 1);
  EXPECT_EQ(before.cores, 8);
  ASSERT_EQ(before.last_steps.size(), 1u);
  EXPECT_EQ(before.last_steps[0].loss, 0.5f);
  EXPECT_TRUE(has_status(process));

  monitor::keep_what_dead_runs_said(statuses_, crashes_);
  EXPECT_FALSE(has_status(process));
  const monitor::CrashReport after = monitor::read_crash_file(path);
  EXPECT_EQ(after.missing, "");
  EXPECT_EQ(after.steps, 77);
  EXPECT_EQ(after.epoch, 3);
  EXPECT_EQ(after.device, "software_tpu ");
  EXPECT_EQ(after.time, 4'000'000'000);
  ASSERT_EQ(after.last_steps.size(), 2u);
  EXPECT_EQ(after.last_steps[1].step, 76);
  EXPECT_EQ(after.last_steps[1].loss, 0.25f);
}

TEST_F(DeadRuns, WithoutAFileTheStatusStays) {
  const pid_t process = killed(RunState::training);
  monitor::keep_what_dead_runs_said(statuses_, "");
  EXPECT_TRUE(has_status(process));
  std::filesystem::remove(monitor::crash_file_of(process, crashes_));
  EXPECT_EQ(monitor::crash_file_of(process, crashes_), "");
  monitor::keep_what_dead_runs_said(statuses_, crashes_);
  EXPECT_TRUE(has_status(process));
}

TEST_F(DeadRuns, AProcessThatIsThereKeepsItsStatus) {
  {
    monitor::StatusWriter writer(statuses_);
    const auto status = std::make_unique<monitor::RunStatus>();
    status->process = getpid();
    status->process_start = monitor::process_start(getpid());
    writer.write(*status);
    monitor::keep_what_dead_runs_said(statuses_, crashes_);
    EXPECT_TRUE(has_status(getpid()));
  }
  monitor::keep_what_dead_runs_said(statuses_ + "/none", crashes_);
}

}  // namespace
}  // namespace systolic
