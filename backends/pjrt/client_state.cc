#include "backends/pjrt/client_state.h"

#include <limits>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {

void CoreUse::begin() {
  const std::lock_guard lock(mutex_);
  if (running_++ == 0) clock_.begin_run();
}

void CoreUse::end(double flops, double bytes) {
  const std::lock_guard lock(mutex_);
  clock_.end_run({.flops = flops,
                  .bytes = bytes,
                  .matrix_flops = flops,
                  .padded_matrix_flops = flops,
                  .collective_bytes = std::numeric_limits<double>::quiet_NaN()});  // nobody tells
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

size_t ClientState::device_of(int core) const {
  const runtime::Topology::Core& found = topology.core(core);
  if (found.process != topology.process_index()) {
    raise<InvalidArgument>({.what = str("core ", core, " is process ", found.process, "'s"),
                            .wanted = str("a core of process ", topology.process_index())});
  }
  return static_cast<size_t>(found.local);
}

}  // namespace pjrt
}  // namespace systolic::inline v0
