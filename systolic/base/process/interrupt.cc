#include "systolic/base/process/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace systolic::inline v0 {
namespace {

enum class Caught : uint8_t { as_the_guard_says, unless_ignored, where_it_kills };

struct StopSignal {
  int number;
  const char* name;
  Caught caught;
};
constexpr std::array<StopSignal, 10> stop_signals{{
    {SIGINT, "", Caught::as_the_guard_says},
    {SIGTERM, "SIGTERM", Caught::unless_ignored},
    {SIGHUP, "SIGHUP", Caught::unless_ignored},
    {SIGXCPU, "SIGXCPU", Caught::where_it_kills},
    {SIGUSR1, "SIGUSR1", Caught::where_it_kills},
    {SIGUSR2, "SIGUSR2", Caught::where_it_kills},
    {SIGALRM, "SIGALRM", Caught::where_it_kills},
    {SIGVTALRM, "SIGVTALRM", Caught::where_it_kills},
    {SIGPROF, "SIGPROF", Caught::where_it_kills},
    {SIGPWR, "SIGPWR", Caught::where_it_kills},
}};

// A handler may touch lock-free atomics only. 0: none since the first of the guards was made.
std::atomic<int> first_signal{0};
// It was another process's: until then, in milliseconds of a clock, the same may still come to this
// one. Ctrl-C once.
std::atomic<int64_t> may_come_until{0}, ctrl_c_may_come_until{0};
constexpr int64_t same_request_milliseconds = 10'000;
std::atomic<int> living_guards{0};  // those that catch something

// May be called by a handler.
int64_t milliseconds_now() {
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// All guards share the handlers: the first installs them, the last puts the previous ones back.
struct Guards {
  std::mutex mutex;
  int of_ctrl_c = 0;  // those that catch SIGINT
  std::array<std::optional<struct sigaction>, stop_signals.size()> previous;  // of those caught
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

void on_signal(int number) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) return;
  if (number == SIGINT) {
    if (milliseconds_now() >= ctrl_c_may_come_until.exchange(0)) _exit(128 + number);
    return;
  }
  if (living_guards > 0 || milliseconds_now() < may_come_until) return;
  // The limit of processor time is told each second: it asks once.
  if (number != SIGXCPU) _exit(128 + number);
}

bool is_caught(Caught caught, const struct sigaction& before) {
  if (caught == Caught::as_the_guard_says) return true;
  return caught == Caught::unless_ignored ? before.sa_handler != SIG_IGN
                                          : before.sa_handler == SIG_DFL;
}

void catch_signal(size_t i, Guards& all) {
  struct sigaction before = {}, action = {};
  sigaction(stop_signals[i].number, nullptr, &before);
  if (before.sa_handler == on_signal) before.sa_handler = SIG_DFL;  // see release_signal
  if (all.previous[i] || !is_caught(stop_signals[i].caught, before)) return;
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(stop_signals[i].number, &action, nullptr);
  all.previous[i] = before;
}

// What was asked of all processes may come to this one when its guards are gone, while it ends as
// all do: then it must not die of it, and the handler stays.
void release_signal(size_t i, Guards& all) {
  if (!all.previous[i]) return;
  const bool stays = may_come_until != 0 && all.previous[i]->sa_handler == SIG_DFL;
  if (!stays) sigaction(stop_signals[i].number, &*all.previous[i], nullptr);
  all.previous[i].reset();
}

// Before the guards, if some catch it.
bool is_ctrl_c_ignored(const Guards& all) {
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  return (all.previous[0] ? all.previous[0]->sa_handler : now.sa_handler) == SIG_IGN;
}

}  // namespace

InterruptGuard::InterruptGuard(Catches catches) : catches_(catches != Catches::never) {
  if (!catches_) return;
  Guards& all = guards();
  const std::lock_guard lock(all.mutex);
  catches_ctrl_c_ = catches == Catches::always || !is_ctrl_c_ignored(all);
  ++own_guards;
  if (living_guards++ == 0) {
    first_signal = 0;
    may_come_until = ctrl_c_may_come_until = 0;
    for (size_t i = 1; i < stop_signals.size(); ++i) catch_signal(i, all);
  }
  if (catches_ctrl_c_ && all.of_ctrl_c++ == 0) catch_signal(0, all);
}

InterruptGuard::~InterruptGuard() {
  if (!catches_) return;
  Guards& all = guards();
  const std::lock_guard lock(all.mutex);
  --own_guards;
  if (catches_ctrl_c_ && --all.of_ctrl_c == 0) release_signal(0, all);
  if (--living_guards == 0) {
    for (size_t i = 1; i < stop_signals.size(); ++i) release_signal(i, all);
  }
  all.one_less.notify_all();
}

bool InterruptGuard::requested() const {
  const int number = first_signal.load();
  return catches_ && number != 0 && (catches_ctrl_c_ || number != SIGINT);
}

void interrupt_with_others() {
  int none = 0;
  may_come_until = ctrl_c_may_come_until = milliseconds_now() + same_request_milliseconds;
  if (first_signal.compare_exchange_strong(none, SIGTERM)) return;
  ctrl_c_may_come_until = 0;  // this process was asked itself
}

int interrupted_exit_code() {
  const int number = first_signal.load();
  return 128 + (number != 0 ? number : SIGINT);
}

std::string_view interrupted_by() {
  for (const StopSignal& one : stop_signals) {
    if (one.number == first_signal.load()) return one.name;
  }
  return "";
}

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
  all.one_less.wait(lock, [&] { return living_guards == all.of_leaving_threads; });
  if (all.of_ctrl_c > 0) release_signal(0, all);  // the others may be repeated until the end
  lock.unlock();
  std::cout.flush();
  std::exit(interrupted_exit_code());
}

}  // namespace systolic::inline v0
