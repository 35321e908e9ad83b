// The threads of a stage that works ahead of its reader: how they are started, how another one is
// added where that helps, how they pause for a saved state, and how they end.
//
//   StageWorkers workers_{mutex_, work_, run(), counters(), tuner, [this] { work(); }};  // last
//   produce():  workers_.start();  ...  workers_.wait_for_news(lock, news_, has_news, at_work);
//   work():     work_.wait(lock, [&] { return workers_.stopping() || (!workers_.paused() && ...
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "systolic/data/stage.h"
#include "systolic/data/workers/thread_tuner.h"
#include "systolic/data/workers/worker_thread.h"

namespace systolic::inline v0 {
namespace data {

class StageWorkers {
 public:
  // `mutex` guards what the threads share with the reader; `work` is what they wait at for work.
  // Each runs `body` once.
  StageWorkers(std::mutex& mutex, std::condition_variable& work, const RunState& run,
               StageCounters& counters, ThreadTuner tuner, std::function<void()> body);
  // Tells the threads to stop, and waits until they have: the last member of a stage.
  ~StageWorkers();

  // By the reader, without the mutex. How many threads were started: none from the second time on.
  int start();
  // Under the mutex: what the threads look at before they take new work.
  bool stopping() const { return stopping_; }
  bool paused() const { return paused_; }
  int threads() const { return tuner_.threads(); }

  // By the reader, under the mutex, which is released meanwhile: waits at `ready` until there are
  // news. May return without; then another thread was started (true), or none was needed. `at_work`
  // counts the busy threads.
  bool wait_for_news(std::unique_lock<std::mutex>& lock, std::condition_variable& ready,
                     const std::function<bool()>& news, const std::function<int()>& at_work);

  // While it lives, the threads take no new work. Made and destroyed under the mutex.
  class Pause {
   public:
    explicit Pause(StageWorkers& workers) : workers_(workers) { workers_.paused_ = true; }
    ~Pause() {
      workers_.paused_ = false;
      workers_.work_.notify_all();
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    StageWorkers& workers_;
  };

 private:
  // Under the mutex; false where there is none.
  bool take_in(std::unique_ptr<WorkerThread> more);

  std::mutex& mutex_;
  std::condition_variable& work_;
  const int niceness_;
  StageCounters& counters_;
  ThreadTuner tuner_;  // changed by the reader, under the mutex
  const std::function<void()> body_;
  bool stopping_ = false, paused_ = false;
  std::vector<std::unique_ptr<WorkerThread>> threads_;  // last, so that they end first
};

}  // namespace data
}  // namespace systolic::inline v0
