#include "systolic/data/workers/thread_tuner.h"

#include <algorithm>

#include "systolic/base/threads/thread_calibration.h"
#include "systolic/data/workers/worker_thread.h"

namespace systolic::inline v0 {
namespace data {

bool another_thread_helps(const StageWork& work, int processors) {
  constexpr double felt = 0.05;
  return work.within_budget && work.threads < processors && work.threads_at_work >= work.threads &&
         work.reader_waited_seconds > felt * work.seconds;
}

ThreadTuner::ThreadTuner(int asked, int most, const RunState& run, StageCounters& counters)
    : run_(run),
      counters_(counters),
      threads_(asked == autotune ? 1 : std::min(std::max(asked, 1), most)),
      most_(asked == autotune ? std::min(usable_processors(), most) : threads_),
      since_(std::chrono::steady_clock::now()),
      waited_before_(counters.waiting_ns.load(std::memory_order_relaxed)) {}

bool ThreadTuner::wants_another(int threads_at_work, std::chrono::nanoseconds waiting_now) {
  if (!may_grow()) return false;
  const auto now = std::chrono::steady_clock::now();
  const int64_t waited = counters_.waiting_ns.load(std::memory_order_relaxed);
  const auto held = counters_.held_bytes.load(std::memory_order_relaxed);
  const StageWork work{
      .seconds = std::chrono::duration<double>(now - since_).count(),
      .reader_waited_seconds =
          1e-9 * static_cast<double>(waited - waited_before_ + waiting_now.count()),
      .threads = threads_,
      .threads_at_work = threads_at_work,
      .within_budget =
          run_.has_room_for(static_cast<size_t>(std::max<int64_t>(held, 0) / threads_))};
  if (!another_thread_helps(work, most_)) return false;
  since_ = now;
  waited_before_ = waited;
  return true;
}

}  // namespace data
}  // namespace systolic::inline v0
