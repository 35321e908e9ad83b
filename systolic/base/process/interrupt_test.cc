#include "systolic/base/process/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <vector>

namespace systolic {
namespace {

using Catches = InterruptGuard::Catches;
using Handler = void (*)(int);

Handler handler_now() {
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  return now.sa_handler;
}

// SIGINT is ignored or not while one lives, whatever the test was started with.
class Before {
 public:
  explicit Before(Handler handler) : previous_(signal(SIGINT, handler)) {}
  ~Before() { signal(SIGINT, previous_); }
  Before(const Before&) = delete;
  Before& operator=(const Before&) = delete;

 private:
  Handler previous_;
};

TEST(Interrupt, IsSeenByAllGuardsAndForgottenAfterTheLast) {
  const Before before(SIG_DFL);
  std::optional<InterruptGuard> first(std::in_place), second(std::in_place);
  EXPECT_FALSE(first->requested());
  ::raise(SIGINT);
  EXPECT_TRUE(first->requested());
  EXPECT_TRUE(second->requested());
  first.reset();
  EXPECT_TRUE(InterruptGuard().requested());
  second.reset();
  EXPECT_EQ(handler_now(), SIG_DFL);
  EXPECT_FALSE(InterruptGuard().requested());
}

TEST(Interrupt, IsCaughtAsTheGuardSays) {
  struct Case {
    Handler before;
    Catches catches;
    bool caught;
  };
  for (const Case& c :
       {Case{SIG_DFL, Catches::always, true}, Case{SIG_IGN, Catches::always, true},
        Case{SIG_DFL, Catches::unless_ignored, true}, Case{SIG_IGN, Catches::unless_ignored, false},
        Case{SIG_DFL, Catches::never, false}, Case{SIG_IGN, Catches::never, false}}) {
    const Before before(c.before);
    {
      const InterruptGuard guard(c.catches);
      EXPECT_EQ(handler_now() != c.before, c.caught);
      if (c.caught) ::raise(SIGINT);
      EXPECT_EQ(guard.requested(), c.caught);
    }
    EXPECT_EQ(handler_now(), c.before);
  }
}

TEST(Interrupt, OfAGuardThatLeavesItIgnoredIsStillCaughtByAnother) {
  const Before before(SIG_IGN);
  const InterruptGuard leaves(Catches::unless_ignored), catches(Catches::always);
  ::raise(SIGINT);
  EXPECT_FALSE(leaves.requested());
  EXPECT_TRUE(catches.requested());
}

// All processes of a run are asked to end; to this one it comes when it ends already.
TEST(InterruptDeathTest, WhatOthersWereAskedMayStillComeOnceTheGuardsAreGone) {
  const auto end_with_others = [](int signals) {
    signal(SIGTERM, SIG_DFL);
    {
      const InterruptGuard guard;
      interrupt_with_others();
      EXPECT_TRUE(guard.requested());
    }
    for (int i = 0; i < signals; ++i) ::raise(SIGTERM);
    _exit(1);
  };
  EXPECT_EXIT(end_with_others(1), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(end_with_others(3), testing::ExitedWithCode(1), "");
  const auto go_on = [] {
    signal(SIGTERM, SIG_DFL);
    {
      const InterruptGuard guard;
      interrupt_with_others();
    }
    const InterruptGuard guard;  // of another fit
    if (guard.requested()) _exit(2);
    ::raise(SIGTERM);
    if (!guard.requested()) _exit(3);
    ::raise(SIGINT);
    _exit(4);
  };
  EXPECT_EXIT(go_on(), testing::ExitedWithCode(130), "");
}

// A handler of each is as `before` says while one lives.
class AllBefore {
 public:
  AllBefore(const std::vector<int>& numbers, Handler handler) : numbers_(numbers) {
    for (const int number : numbers_) previous_.push_back(signal(number, handler));
  }
  ~AllBefore() {
    for (size_t i = 0; i < numbers_.size(); ++i) signal(numbers_[i], previous_[i]);
  }
  AllBefore(const AllBefore&) = delete;
  AllBefore& operator=(const AllBefore&) = delete;

 private:
  std::vector<int> numbers_;
  std::vector<Handler> previous_;
};

const std::vector<int> other_signals = {SIGTERM, SIGHUP,    SIGXCPU, SIGUSR1, SIGUSR2,
                                        SIGALRM, SIGVTALRM, SIGPROF, SIGPWR};

TEST(Interrupt, EverySignalThatAsksForTheEndIsARequest) {
  const AllBefore before(other_signals, SIG_DFL);
  for (const int number : other_signals) {
    {
      const InterruptGuard guard;
      ::raise(number);
      EXPECT_TRUE(guard.requested()) << number;
    }
    EXPECT_EQ(interrupted_exit_code(), 128 + number);
    EXPECT_FALSE(interrupted_by().empty()) << number;
  }
}

TEST(Interrupt, WhatIsIgnoredOrHandledStaysSo) {
  {
    const AllBefore before(other_signals, SIG_IGN);
    const InterruptGuard guard;
    for (const int number : other_signals) ::raise(number);
    EXPECT_FALSE(guard.requested());
  }
  static int handled;
  handled = 0;
  const std::vector<int> own(other_signals.begin() + 2, other_signals.end());
  const AllBefore before(own, [](int) { ++handled; });
  const InterruptGuard guard;
  for (const int number : own) ::raise(number);
  EXPECT_FALSE(guard.requested());
  EXPECT_EQ(handled, static_cast<int>(own.size()));
}

// What ends a program at once, and what is the same request again. 1: it goes on.
TEST(InterruptDeathTest, ASecondCtrlCEndsTheProcessAndALauncherThatRepeatsItselfDoesNot) {
  std::vector<int> all = other_signals;
  all.push_back(SIGINT);
  const AllBefore before(all, SIG_DFL);
  struct Case {
    std::vector<int> signals;
    int exit_code;
  };
  for (const Case& c :
       {Case{{SIGINT, SIGINT}, 130}, Case{{SIGTERM, SIGINT}, 130}, Case{{SIGTERM, SIGTERM}, 1},
        Case{{SIGTERM, SIGTERM, SIGINT}, 130}, Case{{SIGINT, SIGTERM, SIGTERM}, 1},
        Case{{SIGINT, SIGTERM, SIGINT}, 130}, Case{{SIGHUP, SIGHUP, SIGTERM}, 1},
        Case{{SIGUSR1, SIGTERM}, 1}, Case{{SIGTERM, SIGXCPU, SIGXCPU}, 1}}) {
    EXPECT_EXIT(
        {
          const InterruptGuard guard;
          for (const int number : c.signals) ::raise(number);
          _exit(1);
        },
        testing::ExitedWithCode(c.exit_code), "")
        << testing::PrintToString(c.signals);
  }
}

// One Ctrl-C at the terminal of all may come after the request of another process.
TEST(InterruptDeathTest, CtrlCOfAllProcessesComesOnceToEach) {
  const AllBefore before({SIGINT, SIGTERM}, SIG_DFL);
  const auto pressed = [](bool here_first, int times) {
    const InterruptGuard guard;
    if (here_first) ::raise(SIGINT);
    interrupt_with_others();
    for (int i = 0; i < times; ++i) ::raise(SIGINT);
    _exit(1);
  };
  EXPECT_EXIT(pressed(false, 1), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(pressed(false, 2), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(pressed(true, 1), testing::ExitedWithCode(130), "");
}

TEST(InterruptDeathTest, ARepeatedRequestDoesNotCutTheEndShort) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto end = [](int number) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    static int again;
    again = number;
    std::atexit([] {
      ::raise(again);
      ::raise(again);
      std::cerr << "all is closed" << std::endl;
    });
    const InterruptGuard guard;
    ::raise(SIGTERM);
    exit_interrupted();
  };
  EXPECT_EXIT(end(SIGTERM), testing::ExitedWithCode(143), "all is closed");
  EXPECT_EXIT(end(SIGINT), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace systolic
