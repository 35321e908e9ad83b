// To be preloaded: the clock of the day goes back by an hour each time it is read; the one that
// measures time goes on.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

time_t day() {
  static std::atomic<time_t> seconds{2'000'000'000};
  return seconds -= 3600;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
    return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  *now = {.tv_sec = day(), .tv_nsec = 0};
  return 0;
}

time_t time(time_t* result) noexcept {
  const time_t now = day();
  if (result != nullptr) *result = now;
  return now;
}

int gettimeofday(timeval* now, void*) noexcept {
  *now = {.tv_sec = day(), .tv_usec = 0};
  return 0;
}

}  // extern "C"
