#include "backends/pjrt/client_state.h"

namespace systolic::inline v0 {
namespace pjrt {

void CoreUse::begin() {
  const std::lock_guard lock(mutex_);
  if (running_++ == 0) clock_.begin_run();
}

void CoreUse::end(double flops, double bytes) {
  const std::lock_guard lock(mutex_);
  clock_.end_run(flops, bytes);
  if (--running_ > 0) clock_.begin_run();
}

void CoreUse::input_waited(double seconds) {
  const std::lock_guard lock(mutex_);
  clock_.input_waited(seconds);
}

runtime::CoreCounters CoreUse::read() const {
  const std::lock_guard lock(mutex_);
  return clock_.read();
}

void CoreUse::reset() {
  const std::lock_guard lock(mutex_);
  clock_ = runtime::CoreClock();
  if (running_ > 0) clock_.begin_run();
}

}  // namespace pjrt
}  // namespace systolic::inline v0
