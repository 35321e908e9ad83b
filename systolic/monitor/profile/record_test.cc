#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/test_log.h"
#include "systolic/events/training_run.h"
#include "systolic/monitor/profile/ask_for_profile.h"
#include "systolic/monitor/profile/profile_files.h"
#include "systolic/monitor/profile/profile_server.h"
#include "systolic/monitor/profile/profile_sink.h"
#include "systolic/monitor/profile/profile_socket.h"

namespace systolic {
namespace {

using monitor::Profile;
using spans::WorkKind;

std::string new_folder() {
  static int number = 0;
  const std::string folder = testing::TempDir() + str("profile_", getpid(), "_", number++);
  mkdir(folder.c_str(), S_IRWXU);
  return folder;
}

// The numbers of the steps in a profile, in order.
std::vector<int64_t> steps_in(const Profile& profile) {
  std::vector<int64_t> steps;
  for (const auto& thread : profile.recorded.threads) {
    for (const auto& span : thread.spans) {
      if (profile.work(span.work).kind == WorkKind::step) steps.push_back(span.number);
    }
  }
  return steps;
}

void run_steps(int64_t first, int64_t count, const EventSinkPtr& sink) {
  TrainingRun run({.name = "profiled", .sinks = {sink}, .first_step = first});
  run.begin_epoch(0);
  for (int64_t step = first; step < first + count; ++step) {
    {
      const spans::Span span([] { return spans::id_of({.kind = WorkKind::step, .name = "step"}); },
                             step + 1);
    }
    run.end_step();
  }
}

TEST(ProfileSink, RecordsTheStepsThatAreAskedFor) {
  struct Case {
    StepRange steps;
    int64_t first, count;
    std::vector<int64_t> expected;
  };
  const std::vector<Case> cases = {{{3, 5}, 0, 8, {3, 4, 5}},
                                   {{1, 2}, 0, 8, {1, 2}},
                                   {{7, 20}, 0, 8, {7, 8}},  // the run ends
                                   {{3, 5}, 3, 8, {4, 5}},   // it goes on from an earlier one
                                   {{12, 13}, 10, 8, {12, 13}}};
  for (const Case& one : cases) {
    const std::string folder = new_folder();
    run_steps(one.first, one.count, ProfileSink({.steps = one.steps, .folder = folder}));
    EXPECT_EQ(steps_in(monitor::read_profile(folder)), one.expected) << one.steps.first;
    std::filesystem::remove_all(folder);
  }
}

TEST(ProfileSink, WhatCannotBeIsSaid) {
  for (const StepRange& steps : {StepRange{0, 3}, StepRange{5, 4}, StepRange{-2, -1}}) {
    EXPECT_THROW(ProfileSink({.steps = steps}), InvalidArgument);
  }
  const CaughtLog log;
  const std::string folder = new_folder();
  run_steps(0, 4, ProfileSink({.steps = {10, 20}, .folder = folder}));
  EXPECT_NE(log.lines().find("the run ended before step 10"), std::string::npos) << log.lines();
  run_steps(0, 4, ProfileSink({.steps = {1, 2}, .folder = "/proc/nothing"}));
  EXPECT_NE(log.lines().find("cannot write the profile '/proc/nothing"), std::string::npos);
  const spans::Recording other;
  run_steps(0, 4, ProfileSink({.steps = {1, 2}, .folder = folder}));
  EXPECT_NE(log.lines().find("is being recorded"), std::string::npos);
  std::filesystem::remove_all(folder);
}

class Worker {
 public:
  Worker()
      : thread_([this] {
          spans::name_thread("worker");
          while (!ends_) {
            const spans::Span span([] { return spans::id_of({.name = "work"}); });
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}
  ~Worker() {
    ends_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

TEST(ProfileServer, AnswersWithWhatTheProcessDoes) {
  const std::string folder = new_folder();
  const Worker worker;
  const monitor::ProfileServer server(folder);
  for (int i = 0; i < 2; ++i) {
    const Profile profile = monitor::ask_for_profile(getpid(), 0.05, folder);
    EXPECT_EQ(profile.process, getpid());
    EXPECT_GE(profile.recorded.duration_ns, 50'000'000);
    const auto& threads = profile.recorded.threads;
    EXPECT_TRUE(std::any_of(threads.begin(), threads.end(),
                            [](const auto& thread) { return thread.name == "worker"; }));
  }
}

TEST(ProfileServer, RefusesASecondRecordingAndBadRequests) {
  const std::string folder = new_folder();
  const monitor::ProfileServer server(folder);
  {
    const spans::Recording recording;
    EXPECT_THROW(monitor::ask_for_profile(getpid(), 0.05, folder), FailedPrecondition);
  }
  EXPECT_THROW(monitor::ask_for_profile(getpid(), 0, folder), InvalidArgument);
  EXPECT_THROW(monitor::ask_for_profile(getpid(), 1e9, folder), InvalidArgument);
  EXPECT_THROW(monitor::ask_for_profile(1, 0.05, folder), NotFound);
  for (const std::string request :
       {"profile -1\n", "profile nan\n", "profile 1e9\n", "GET / HTTP/1.1\n",
        "profile 00000000000000000000000000000000000000000000000000000000000000000000000001\n"}) {
    const monitor::Descriptor directory = monitor::open_status_folder(folder, false);
    const monitor::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    monitor::set_socket_address(address, directory, monitor::profile_socket_name(getpid()));
    ASSERT_EQ(connect(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    monitor::send_all(socket, request);
    std::array<char, 64> answer{};
    recv(socket.number(), answer.data(), answer.size() - 1, 0);
    EXPECT_TRUE(std::string(answer.data()).starts_with("error expected")) << request;
  }
}

TEST(ProfileServer, AnAskerThatLeavesEndsItsRecording) {
  const std::string folder = new_folder();
  const monitor::ProfileServer server(folder);
  {
    const monitor::Descriptor directory = monitor::open_status_folder(folder, false);
    const monitor::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    monitor::set_socket_address(address, directory, monitor::profile_socket_name(getpid()));
    ASSERT_EQ(connect(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    monitor::send_all(socket, "profile 500\n");
  }
  // It is served next.
  EXPECT_EQ(monitor::ask_for_profile(getpid(), 0.01, folder).process, getpid());
}

TEST(ProfileServer, ItsEndEndsARecordingAndRemovesTheSocket) {
  const std::string folder = new_folder();
  std::thread asker;
  {
    const monitor::ProfileServer server(folder);
    asker = std::thread(
        [&] { EXPECT_THROW(monitor::ask_for_profile(getpid(), 500, folder), Unavailable); });
    while (!spans::are_recorded()) std::this_thread::yield();
  }
  asker.join();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace systolic
