#include "systolic/base/process/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <optional>

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

TEST(InterruptDeathTest, ASecondTimeEndsTheProcess) {
  const Before before(SIG_DFL);
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        ::raise(SIGINT);
        ::raise(SIGINT);
      },
      testing::ExitedWithCode(interrupted_exit_code), "");
}

}  // namespace
}  // namespace systolic
