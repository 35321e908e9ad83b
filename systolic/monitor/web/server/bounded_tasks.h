// The threads that answer requests: made as they are needed, up to a number. Whoever comes then
// waits outside, in the system's queue, and takes nothing of this process.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace monitor {

class BoundedTasks final : public httplib::TaskQueue {
 public:
  explicit BoundedTasks(size_t most) : most_(most) {}
  ~BoundedTasks() override = default;

  // Waits until a thread is free.
  void enqueue(std::function<void()> task) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [this] { return ends_ || (!task_ && (idle_ > 0 || threads_.size() < most_)); });
    if (idle_ == 0 && threads_.size() < most_) threads_.emplace_back([this] { run(); });
    task_ = std::move(task);
    changed_.notify_all();
  }
  // What was taken on is done to its end.
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return task_ || ends_; });
      --idle_;
      if (!task_) return;
      const std::function<void()> task = std::exchange(task_, nullptr);
      changed_.notify_all();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  std::function<void()> task_;  // the next
  size_t idle_ = 0;
  bool ends_ = false;
};

}  // namespace monitor
}  // namespace systolic::inline v0
