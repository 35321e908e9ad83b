// The last message, and those who wait for the next: they share it, so that what a hundred slow
// readers hold is one or two messages.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace systolic::inline v0 {
namespace monitor {

using Text = std::shared_ptr<const std::string>;

class Broadcast {
 public:
  struct Message {
    int64_t number = 0;  // from 1
    Text text = {};      // null: there was none in time
    bool ended = false;
  };

  void send(Text text) {
    {
      const std::lock_guard lock(mutex_);
      last_ = {last_.number + 1, std::move(text)};
    }
    changed_.notify_all();
  }
  // Nobody waits any more.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
  }
  // The last, once it is another than `number`: what came between is not of interest any more.
  Message next(int64_t number, std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, most, [&] { return ended_ || last_.number != number; });
    if (ended_) return {.ended = true};
    return last_.number != number ? last_ : Message{.number = number};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Message last_;
  bool ended_ = false;
};

}  // namespace monitor
}  // namespace systolic::inline v0
