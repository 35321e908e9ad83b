#include "systolic/base/progress.h"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

namespace systolic {
namespace {

using std::chrono::milliseconds;

TEST(Progress, IsDrawnAgainOnATerminalAndEndsInALine) {
  std::ostringstream out;
  int columns = 80;
  const Progress::Clock::time_point start{};
  Progress progress(
      "tokenizing", 4000, out, [&] { return columns; }, start);
  EXPECT_EQ(out.str(), "\rtokenizing 0/4,000 ──────────────────── 0 %\x1b[K");
  out.str("");
  progress.add(1000, start + milliseconds(500));
  EXPECT_EQ(out.str(), "\rtokenizing 1,000/4,000 ━━━━━─────────────── 25 % 1.5s\x1b[K");
  out.str("");
  progress.add(500, start + milliseconds(560));  // too soon
  EXPECT_EQ(out.str(), "");
  columns = 20;
  progress.add(500, start + milliseconds(1000));  // one row and no more
  EXPECT_EQ(out.str(), "\rtokenizing 2,000/4…\x1b[K");
  out.str("");
  columns = 80;
  progress.add(2000, start + milliseconds(1010));
  progress.finish(start + milliseconds(2000));
  progress.finish(start + milliseconds(3000));
  EXPECT_EQ(out.str(), "\rtokenizing 4,000/4,000 ━━━━━━━━━━━━━━━━━━━━ 100 % 2.0s 2,000/s\x1b[K\n");
}

TEST(Progress, IsOneLineInAFile) {
  std::ostringstream out;
  const Progress::Clock::time_point start{};
  {
    Progress progress(
        "reading", 10, out, [] { return 0; }, start);
    for (int i = 1; i <= 10; ++i) progress.add(1, start + milliseconds(200 * i));
    progress.finish(start + milliseconds(20'000));
  }
  EXPECT_EQ(out.str(), "reading 10/10 100 % 20s 1/s\n");
}

// An error in the loop, or nothing to do.
TEST(Progress, ALoopThatEndsEarlyLeavesWhatWasDone) {
  for (const auto& [total, line] :
       {std::pair(10, "reading 3/10 30 % "), std::pair(0, "reading 3/0 100 % ")}) {
    std::ostringstream out;
    {
      Progress("reading", total, out, [] { return 0; }).add(3);
    }
    EXPECT_EQ(out.str().substr(0, std::string_view(line).size()), line);
  }
}

TEST(Progress, CountsWhatSeveralThreadsAdd) {
  std::ostringstream out;
  {
    Progress progress("reading", 4000, out, [] { return 80; });
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) progress.add(1);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_NE(out.str().find("4,000/4,000"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace systolic
