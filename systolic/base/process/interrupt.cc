#include "systolic/base/process/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace systolic::inline v0 {
namespace {

// A handler may touch lock-free atomics only. Counted from the first guard on.
std::atomic<int> presses{0};

// All guards share one handler: the first installs it, the last puts the previous one back.
struct Guards {
  std::mutex mutex;
  int count = 0;
  struct sigaction previous = {};
  // For exit_interrupted.
  std::condition_variable one_less;
  int of_leaving_threads = 0;  // which will not go away
  bool exits = false;
};

thread_local int own_guards = 0;

// Never destroyed: a thread may make or leave a guard while another one ends the program.
Guards& guards() {
  alignas(Guards) static std::byte place[sizeof(Guards)];
  static Guards& instance = *new (place) Guards;
  return instance;
}

void on_signal(int) {
  if (presses.fetch_add(1) >= 1) _exit(interrupted_exit_code);
}

}  // namespace

InterruptGuard::InterruptGuard(Catches catches) : catches_(catches != Catches::never) {
  if (!catches_) return;
  const std::lock_guard lock(guards().mutex);
  if (guards().count == 0) sigaction(SIGINT, nullptr, &guards().previous);
  if (catches == Catches::unless_ignored && guards().previous.sa_handler == SIG_IGN) {
    catches_ = false;
    return;
  }
  ++own_guards;
  if (guards().count++ > 0) return;
  presses = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
  if (!catches_) return;
  const std::lock_guard lock(guards().mutex);
  --own_guards;
  if (--guards().count == 0) sigaction(SIGINT, &guards().previous, nullptr);
  guards().one_less.notify_all();
}

bool InterruptGuard::requested() const { return catches_ && presses.load() > 0; }

// This thread may have several, as of a fit within another's callback: they go with the process.
void exit_interrupted() {
  Guards& all = guards();
  std::unique_lock lock(all.mutex);
  all.of_leaving_threads += own_guards;
  all.one_less.notify_all();
  if (std::exchange(all.exits, true)) {
    lock.unlock();
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));  // another thread ends the program
  }
  all.one_less.wait(lock, [&] { return all.count == all.of_leaving_threads; });
  lock.unlock();
  std::cout.flush();
  std::exit(interrupted_exit_code);
}

}  // namespace systolic::inline v0
