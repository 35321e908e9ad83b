// Produces items ahead of time on a thread of its own.
//
//   BackgroundQueue<Batch> queue([&] { return read_batch(); }, 2);    // nothing: the end
//   while (std::optional<Batch> batch = queue.next()) ...
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace systolic::inline v0 {

template <class Item>
class BackgroundQueue {
 public:
  // `produce` runs on the thread only; at most `depth` items wait. It gives nothing at the end.
  BackgroundQueue(std::function<std::optional<Item>()> produce, size_t depth)
      : produce_(std::move(produce)), depth_(depth), thread_([this] { run(); }) {}

  // Stops after the item that is being produced, and joins.
  ~BackgroundQueue() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  // The next item, in order; nothing after the last. What `produce` threw is thrown here, once its
  // turn has come.
  std::optional<Item> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || ended_; });
    if (items_.empty()) {
      if (error_) std::rethrow_exception(error_);
      return std::nullopt;
    }
    std::optional<Item> item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return item;
  }

 private:
  void run() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopping_ || items_.size() < depth_; });
        if (stopping_) return;
      }
      std::optional<Item> item;
      std::exception_ptr error;
      try {
        item = produce_();
      } catch (...) {
        error = std::current_exception();
      }
      const bool last = !item.has_value();
      {
        std::lock_guard lock(mutex_);
        if (last) {
          ended_ = true;
          error_ = error;
        } else {
          items_.push_back(std::move(*item));
        }
      }
      changed_.notify_all();
      if (last) return;
    }
  }

  std::function<std::optional<Item>()> produce_;
  size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::exception_ptr error_;
  bool ended_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace systolic::inline v0
