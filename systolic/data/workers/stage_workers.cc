#include "systolic/data/workers/stage_workers.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace systolic::inline v0 {
namespace data {

StageWorkers::StageWorkers(std::mutex& mutex, std::condition_variable& work, const RunState& run,
                           StageCounters& counters, ThreadTuner tuner, std::function<void()> body)
    : mutex_(mutex),
      work_(work),
      niceness_(run.options().thread_niceness),
      counters_(counters),
      tuner_(tuner),
      body_(std::move(body)) {}

StageWorkers::~StageWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  threads_.clear();
}

int StageWorkers::start() {
  if (!threads_.empty()) return 0;
  threads_ = start_workers(tuner_.threads(), niceness_, body_);
  counters_.threads = static_cast<int>(threads_.size());
  return static_cast<int>(threads_.size());
}

bool StageWorkers::take_in(std::unique_ptr<WorkerThread> more) {
  if (more == nullptr) {
    tuner_.give_up();
    return false;
  }
  threads_.push_back(std::move(more));
  tuner_.started();
  counters_.threads = tuner_.threads();
  return true;
}

bool StageWorkers::wait_for_news(std::unique_lock<std::mutex>& lock, std::condition_variable& ready,
                                 const std::function<bool()>& news,
                                 const std::function<int()>& at_work) {
  Timer timer(counters_.waiting_ns);
  if (!tuner_.may_grow()) {
    ready.wait(lock, news);
    return false;
  }
  const auto start = std::chrono::steady_clock::now();
  const int before = at_work();
  ready.wait_for(lock, ThreadTuner::patience, news);
  const int most_at_work = std::max(before, at_work());
  if (!tuner_.wants_another(most_at_work, std::chrono::steady_clock::now() - start)) return false;
  lock.unlock();
  std::unique_ptr<WorkerThread> more = start_another(niceness_, body_);
  lock.lock();
  return take_in(std::move(more));
}

}  // namespace data
}  // namespace systolic::inline v0
