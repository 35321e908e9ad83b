// Items passed in order from one thread that makes them to one that takes them; at most so many
// wait at a time.
//
//   HandoffQueue<int> queue(2);
//   while (queue.wait_for_room() > 0 && i < 9) queue.put(i++);   // the maker,
//   queue.finish();                                              // then
//   std::vector<int> items = queue.take(8);                      // the taker: none at the end
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace systolic::inline v0 {

template <class Item>
class HandoffQueue {
 public:
  // At most `room` items wait, or a few more where put_all() brings them.
  explicit HandoffQueue(size_t room) : room_(room) {}
  HandoffQueue(const HandoffQueue&) = delete;
  HandoffQueue& operator=(const HandoffQueue&) = delete;

  // For the maker.

  // Waits until there is room, and says for how many; 0 once stop() was called.
  size_t wait_for_room() {
    std::unique_lock lock(mutex_);
    space_.wait(lock, [&] { return stopping_ || items_.size() < room_; });
    return stopping_ ? 0 : room_ - items_.size();
  }
  void put(Item item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    ready_.notify_one();
  }
  void put_all(std::vector<Item> items) {
    {
      const std::lock_guard lock(mutex_);
      std::move(items.begin(), items.end(), std::back_inserter(items_));
    }
    ready_.notify_one();
  }
  // No more items will come: all were made, or `error` ended them.
  void finish(std::exception_ptr error = nullptr) {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
      error_ = std::move(error);
    }
    ready_.notify_one();
  }

  // For the taker.

  // Would take() wait?
  bool would_wait() const {
    const std::lock_guard lock(mutex_);
    return items_.empty() && !finished_;
  }
  // The next items, 1 to `most`: waits for the first of them, not for more. None after the last;
  // there the error of finish() is thrown instead, each time.
  std::vector<Item> take(size_t most) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return finished_ || !items_.empty(); });
    const auto count = static_cast<std::ptrdiff_t>(std::min(most, items_.size()));
    if (count == 0 && error_) std::rethrow_exception(error_);
    const auto end = items_.begin() + count;
    std::vector<Item> taken(std::move_iterator(items_.begin()), std::move_iterator(end));
    items_.erase(items_.begin(), end);
    lock.unlock();
    space_.notify_one();
    return taken;
  }
  void set_room(size_t room) {
    {
      const std::lock_guard lock(mutex_);
      room_ = room;
    }
    space_.notify_one();
  }
  // For code that looks at or fills the queue while neither side is at work: visitor(items,
  // finished, error).
  template <class Visitor>
  void visit(Visitor&& visitor) {
    const std::lock_guard lock(mutex_);
    visitor(items_, finished_, error_);
  }
  // The taker takes no more: wait_for_room() returns.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    space_.notify_one();
  }

 private:
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable space_, ready_;
  std::deque<Item> items_;
  size_t room_;
  bool finished_ = false, stopping_ = false;
  std::exception_ptr error_;
};

}  // namespace systolic::inline v0
