// Produces items ahead of time on a thread of its own.
//
//   BackgroundQueue<Batch> queue([&] { return read_batch(); }, 2);    // nothing: the end
//   while (std::optional<Batch> batch = queue.next()) ...
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/threads/handoff_queue.h"

namespace systolic::inline v0 {

template <class Item>
class BackgroundQueue {
 public:
  // `produce` runs only on the thread; at most `depth` items wait. It returns nothing at the end.
  // ResourceExhausted where the system gives no more threads.
  BackgroundQueue(std::function<std::optional<Item>()> produce, size_t depth)
      : produce_(std::move(produce)), queue_(depth), thread_(started([this] { run(); })) {}

  // Stops after the item that is being produced, and joins.
  ~BackgroundQueue() {
    queue_.stop();
    thread_.join();
  }
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  // The next item, in order; nothing after the last. An exception of `produce` is thrown here, when
  // its turn comes.
  std::optional<Item> next() {
    std::vector<Item> items = queue_.take(1);
    if (items.empty()) return std::nullopt;
    return std::move(items.front());
  }

 private:
  static std::thread started(std::function<void()> body) {
    try {
      return std::thread(std::move(body));
    } catch (const std::system_error& error) {
      raise<ResourceExhausted>(
          {.what = str("cannot start a thread that works ahead: ", error.what()),
           .hint = "raise the limit of processes (ulimit -u)"});
    }
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
  std::thread thread_;
};

}  // namespace systolic::inline v0
