#include "systolic/train/interrupt.h"

#include <unistd.h>

#include <atomic>

namespace systolic::inline v0 {
namespace {

// A handler may touch lock-free atomics only.
std::atomic<int> presses{0};

void on_signal(int) {
  if (presses.fetch_add(1) >= 1) _exit(interrupted_exit_code);
}

}  // namespace

InterruptGuard::InterruptGuard(OnInterrupt mode) : mode_(mode) {
  if (mode_ == OnInterrupt::ignore) return;
  presses = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &previous_);
}

InterruptGuard::~InterruptGuard() {
  if (mode_ != OnInterrupt::ignore) sigaction(SIGINT, &previous_, nullptr);
}

bool InterruptGuard::requested() const {
  return mode_ != OnInterrupt::ignore && presses.load() > 0;
}

}  // namespace systolic::inline v0
