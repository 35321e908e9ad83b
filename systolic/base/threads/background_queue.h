// Produces items ahead of time on a thread of its own.
//
//   BackgroundQueue<Batch> queue([&] { return read_batch(); }, 2);    // nothing: the end
//   while (std::optional<Batch> batch = queue.next()) ...
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "systolic/base/threads/handoff_queue.h"
#include "systolic/base/threads/start_thread.h"

namespace systolic::inline v0 {

template <class Item>
class BackgroundQueue {
 public:
  // `produce` runs only on the thread; at most `depth` items wait. It returns nothing at the end.
  // Where the system gives no more threads, next() produces, and a warning says so.
  BackgroundQueue(std::function<std::optional<Item>()> produce, size_t depth)
      : produce_(std::move(produce)), queue_(depth), thread_(try_start_thread([this] { run(); })) {
    if (!thread_) warn_of_missing_threads("nothing is read ahead of its use");
  }

  // Stops after the item that is being produced, and joins.
  ~BackgroundQueue() {
    queue_.stop();
    if (thread_) thread_->join();
  }
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  // The next item, in order; nothing after the last. An exception of `produce` is thrown here, when
  // its turn comes.
  std::optional<Item> next() {
    if (!thread_) return produced_here();
    std::vector<Item> items = queue_.take(1);
    if (items.empty()) return std::nullopt;
    return std::move(items.front());
  }

 private:
  std::optional<Item> produced_here() {
    if (ended_) return std::nullopt;
    ended_ = true;  // where `produce` throws, too
    std::optional<Item> item = produce_();
    ended_ = !item;
    return item;
  }

  void run() {
    try {
      while (queue_.wait_for_room() > 0) {
        std::optional<Item> item = produce_();
        if (!item) return queue_.finish();
        queue_.put(std::move(*item));
      }
    } catch (...) {
      queue_.finish(std::current_exception());
    }
  }

  std::function<std::optional<Item>()> produce_;
  HandoffQueue<Item> queue_;
  bool ended_ = false;  // without the thread
  std::optional<std::thread> thread_;
};

}  // namespace systolic::inline v0
