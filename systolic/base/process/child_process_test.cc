// What a child process may do to the one that waits for it: nothing.
#include "systolic/base/process/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using Fields = std::vector<std::string>;

TEST(ChildProcess, GivesWhatTheWorkReturns) {
  const Fields fields = {"one", "", std::string(3'000'000, 'x'), std::string("a\0b", 3)};
  EXPECT_EQ(run_in_child([&] { return fields; }, 60).fields, fields);
}

TEST(ChildProcess, ThrowsWhatTheWorkThrows) {
  const auto fail = [] {
    return run_in_child([]() -> Fields { raise<NotFound>({.what = "no file", .hint = "look"}); },
                        60);
  };
  EXPECT_EQ(message_of<NotFound>(fail), "no file.\n  hint: look.");
  EXPECT_EQ(message_of<Internal>(
                [] { run_in_child([]() -> Fields { throw std::runtime_error("other"); }, 60); }),
            "other.");
}

TEST(ChildProcess, SurvivesItsDeath) {
  const auto aborted = run_in_child(
      []() -> Fields {
        std::fprintf(stderr, "the last words\n");
        signal(SIGABRT, SIG_DFL);
        std::abort();
      },
      60);
  EXPECT_TRUE(aborted.fields.empty());
  EXPECT_EQ(aborted.signal, SIGABRT);
  EXPECT_EQ(aborted.log, "the last words\n");
  const auto left = run_in_child([]() -> Fields { _exit(3); }, 60);
  EXPECT_TRUE(left.fields.empty());
  EXPECT_EQ(left.status, 3);
}

TEST(ChildProcess, EndsItAtTheDeadline) {
  const auto outcome = run_in_child(
      []() -> Fields {
        for (;;) pause();
      },
      0.05);
  EXPECT_TRUE(outcome.timed_out);
}

}  // namespace
}  // namespace systolic
