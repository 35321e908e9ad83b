#include "systolic/train/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

namespace systolic::inline v0 {
namespace {

// A handler may touch lock-free atomics only. Counted from the first guard on.
std::atomic<int> presses{0};

// All guards share one handler: the first installs it, the last puts the previous one back.
struct Guards {
  std::mutex mutex;
  int count = 0;
  struct sigaction previous = {};
};

Guards& guards() {
  static Guards instance;
  return instance;
}

void on_signal(int) {
  if (presses.fetch_add(1) >= 1) _exit(interrupted_exit_code);
}

}  // namespace

InterruptGuard::InterruptGuard(OnInterrupt mode) : mode_(mode) {
  if (mode_ == OnInterrupt::ignore) return;
  const std::lock_guard lock(guards().mutex);
  if (guards().count++ > 0) return;
  presses = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &guards().previous);
}

InterruptGuard::~InterruptGuard() {
  if (mode_ == OnInterrupt::ignore) return;
  const std::lock_guard lock(guards().mutex);
  if (--guards().count == 0) sigaction(SIGINT, &guards().previous, nullptr);
}

bool InterruptGuard::requested() const {
  return mode_ != OnInterrupt::ignore && presses.load() > 0;
}

}  // namespace systolic::inline v0
