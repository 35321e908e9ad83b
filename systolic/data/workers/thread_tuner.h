// How many threads a stage gets that was told to find out (num_parallel_calls = autotune): one at
// first, and another whenever its counts say that one would help.
#pragma once

#include <chrono>
#include <cstddef>

#include "systolic/data/stage.h"

namespace systolic::inline v0 {
namespace data {

// What a stage has done since its last thread came.
struct StageWork {
  double seconds = 0;
  double reader_waited_seconds = 0;
  int threads = 1;
  int threads_at_work = 0;    // now, in the function or reading; the others have no input
  bool within_budget = true;  // memory for what one more would hold
};

// The reader waits for more than a twentieth of the time, every thread is at work, and there are
// processors and memory left.
bool another_thread_helps(const StageWork& work, int processors);

class ThreadTuner {
 public:
  // How long a reader waits before it asks again.
  static constexpr std::chrono::milliseconds patience{2};

  // `asked`: num_parallel_calls; `most` bounds what autotune may come to.
  ThreadTuner(int asked, int most, const RunState& run, StageCounters& counters);
  int threads() const { return threads_; }
  bool may_grow() const { return threads_ < most_; }
  // Whether the stage should start another thread, which holds about as much as each of the others.
  bool wants_another(int threads_at_work, std::chrono::nanoseconds waiting_now);
  void started() { ++threads_; }
  // The system gives no more.
  void give_up() { most_ = threads_; }

 private:
  const RunState& run_;
  StageCounters& counters_;
  int threads_, most_;
  std::chrono::steady_clock::time_point since_;
  int64_t waited_before_ = 0;
};

}  // namespace data
}  // namespace systolic::inline v0
