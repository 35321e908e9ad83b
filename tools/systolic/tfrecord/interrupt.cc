#include "tools/systolic/tfrecord/interrupt.h"

#include <unistd.h>

#include <atomic>

namespace tool::tfrecord {
namespace {

// A handler may touch lock-free atomics only.
std::atomic<int> presses{0};

void on_signal(int) {
  if (presses.fetch_add(1) >= 1) ::_exit(interrupted_code);
}

}  // namespace

Interrupt::Interrupt() {
  presses = 0;
  ::sigaction(SIGINT, nullptr, &previous_);
  if (previous_.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() { ::sigaction(SIGINT, &previous_, nullptr); }

bool Interrupt::requested() const { return presses.load() > 0; }

}  // namespace tool::tfrecord
