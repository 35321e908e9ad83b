// How processes end that are of one run: this test, started by run_pod().
#include "systolic/cluster/this_run.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <utility>

#include "systolic/base/process/interrupt.h"
#include "systolic/base/test_errors.h"
#include "systolic/cluster/pod/run_pod.h"

namespace systolic {
namespace {

constexpr const char* ending = "SYSTOLIC_TEST_ENDING";

// Process 1 ends in this way; the others are still at work then.
[[noreturn]] void end_first(const std::string& how) {
  if (how == "killed") ::kill(::getpid(), SIGKILL);
  if (how == "interrupted") {
    signal(SIGTERM, SIG_DFL);
    {
      const InterruptGuard guard;
      interrupt_with_others();
    }
    ::raise(SIGTERM);  // the others had it before
    std::exit(interrupted_exit_code());
  }
  std::exit(std::atoi(how.c_str()));
}

[[noreturn]] void be_a_process(const std::string& how) {
  const std::shared_ptr<cluster::Coordination> run = cluster::this_run();
  run->barrier("all are here", 20);
  if (run->place().processes.index == 1) end_first(how);
  const std::string refused = error_of([&] { run->barrier("after the last step", 20); });
  if (refused.find("has left the run") == std::string::npos) ::pause();  // ended by the run
  std::cout << "saved" << std::endl;
  std::exit(how == "interrupted" ? 143 : 0);
}

struct Ended {
  int code = 0;
  std::string text;
};

Ended ended(const std::string& how) {
  ::setenv(ending, how.c_str(), 1);
  std::ostringstream out;
  const int code = cluster::run_pod(
      {.processes = 3,
       .command = {"/proc/self/exe", "--gtest_filter=ThisRun.IsNullForAProcessThatIsAlone"}},
      out, out);
  ::unsetenv(ending);
  return {code, out.str()};
}

TEST(ThisRun, IsNullForAProcessThatIsAlone) {
  if (const char* how = std::getenv(ending)) be_a_process(how);
  EXPECT_EQ(cluster::this_run(), nullptr);
}

TEST(ThisRun, WhoEndsInOrderFailsNobody) {
  for (const auto& [how, code] : {std::pair("0", 0), std::pair("interrupted", 143)}) {
    const Ended run = ended(how);
    EXPECT_EQ(run.code, code) << run.text;
    EXPECT_CONTAINS(run.text, "[2] saved\n");
    EXPECT_EQ(run.text.find("was lost"), std::string::npos) << run.text;
  }
}

TEST(ThisRun, WhoFailsOrDiesIsNamed) {
  const Ended failed = ended("7");
  EXPECT_EQ(failed.code, 7);
  EXPECT_CONTAINS(failed.text, "failed: it ended with exit code 7");
  EXPECT_EQ(failed.text.find("saved"), std::string::npos) << failed.text;
  const Ended killed = ended("killed");
  EXPECT_EQ(killed.code, 137);
  EXPECT_CONTAINS(killed.text, "was lost: its connection broke");
  EXPECT_EQ(killed.text.find("saved"), std::string::npos) << killed.text;
}

}  // namespace
}  // namespace systolic
