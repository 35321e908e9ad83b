#include "systolic/base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "systolic/base/live_line.h"

namespace systolic {
namespace {

// Standard error, which is a terminal while this lives.
class TerminalAsStderr {
 public:
  TerminalAsStderr() : leader_(posix_openpt(O_RDWR | O_NOCTTY)), stderr_(dup(STDERR_FILENO)) {
    if (leader_ < 0 || grantpt(leader_) != 0 || unlockpt(leader_) != 0) return;
    const int follower = open(ptsname(leader_), O_RDWR | O_NOCTTY);
    if (follower < 0) return;
    is_terminal_ = dup2(follower, STDERR_FILENO) >= 0;
    close(follower);
  }
  ~TerminalAsStderr() {
    dup2(stderr_, STDERR_FILENO);
    close(stderr_);
    if (leader_ >= 0) close(leader_);
  }
  TerminalAsStderr(const TerminalAsStderr&) = delete;
  TerminalAsStderr& operator=(const TerminalAsStderr&) = delete;

  bool is_terminal() const { return is_terminal_; }
  std::string next_line() const {
    std::string line;
    std::array<char, 1> c{};
    while (read(leader_, c.data(), 1) == 1 && c[0] != '\n') line += c[0];
    return line;
  }

 private:
  int leader_;
  int stderr_;
  bool is_terminal_ = false;
};

TEST(Log, TakesThePlaceOfALineThatIsDrawnAgainAndAgain) {
  setenv("TERM", "xterm", 1);
  const TerminalAsStderr terminal;
  ASSERT_TRUE(terminal.is_terminal());
  log_info("before");
  {
    const LiveLine::Drawn live;
    log_warning("within");
  }
  log_info("after");
  EXPECT_EQ(terminal.next_line(), "before\r");  // the terminal's own end of a line
  EXPECT_EQ(terminal.next_line(), "\r\x1b[KWARNING: within\r");
  EXPECT_EQ(terminal.next_line(), "after\r");
}

TEST(Log, AFileGetsPlainLines) {
  const LiveLine::Drawn live;
  testing::internal::CaptureStderr();
  log_warning("within");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "WARNING: within\n");
}

}  // namespace
}  // namespace systolic
