#include "backends/pjrt/api/teardown.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace systolic::inline v0 {
namespace pjrt {
namespace {

constexpr std::array<int, 6> signals = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGALRM};
constexpr unsigned most_seconds = 30;

std::atomic<bool> ending{false};
int exit_status = 0;
bool guarded = false;  // both only touched by the thread that ends the process
std::array<struct sigaction, signals.size()> before;

void leave(int) {
  constexpr char text[] =
      "WARNING: a PJRT plugin crashed while the process was exiting; the exit status is the "
      "run's.\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof(text) - 1);
  _exit(exit_status);
}

// exit() calls these in the reverse order of their registration: `enter` first, then the plugin's
// destructors, then `restore`.
void enter(int status, void*) {
  ending = true;
  if (guarded) return;
  guarded = true;
  exit_status = status;
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_handler = leave;
  for (size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before[i]);
  alarm(most_seconds);
}

void restore() {
  if (!guarded) return;
  guarded = false;
  alarm(0);
  for (size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before[i], nullptr);
}

}  // namespace

void guard_teardown_begin() {
  static const int registered = std::atexit(restore);
  static_cast<void>(registered);
}

void guard_teardown_end() {
  static std::atomic<int> count{0};
  if (count.fetch_add(1) < 16) on_exit(enter, nullptr);
}

bool process_is_ending() noexcept { return ending; }

}  // namespace pjrt
}  // namespace systolic::inline v0
