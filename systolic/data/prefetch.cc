#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/data/worker_thread.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class PrefetchStage : public Stage {
 public:
  PrefetchStage(const Context& context, const Node& node, std::unique_ptr<Stage> input,
                int64_t buffer_size)
      : Stage(context, &node, node.label()),
        input_(std::move(input)),
        grows_(buffer_size == autotune),
        room_(grows_ ? 2 : static_cast<size_t>(buffer_size)),
        worker_(
            std::make_unique<WorkerThread>(run().options().thread_niceness, [this] { work(); })) {}

  ~PrefetchStage() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    space_.notify_all();
    worker_.reset();
  }

 protected:
  Chunk produce(int64_t most) override {
    std::unique_lock lock(mutex_);
    if (ready_elements_.empty() && !ended_) {
      grow();
      Timer timer(counters().waiting_ns);
      ready_.wait(lock, [&] { return ended_ || !ready_elements_.empty(); });
    }
    const size_t count = std::min(static_cast<size_t>(most), ready_elements_.size());
    if (count == 0 && error_) std::rethrow_exception(error_);
    Chunk chunk;
    chunk.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      chunk.push_back(std::move(ready_elements_.front()));
      ready_elements_.pop_front();
    }
    lock.unlock();
    space_.notify_one();
    return chunk;
  }

 private:
  // A reader that finds nothing could have used a longer queue: as long as that costs little
  // memory.
  void grow() {
    constexpr size_t most_elements = 256, most_bytes = size_t{128} << 20;
    if (!grows_ || !delivered_) return;
    const size_t each = std::max<size_t>(largest_bytes_, 1);
    room_ = std::max(room_, std::min({2 * room_, most_elements, most_bytes / each}));
  }

  void work() {
    try {
      for (;;) {
        const int64_t most = wait_for_room();
        if (most == 0) return;
        Chunk chunk = input_->next(most);
        const std::lock_guard lock(mutex_);
        ended_ = chunk.empty();
        if (!chunk.empty()) largest_bytes_ = std::max(largest_bytes_, chunk.front().byte_size());
        std::move(chunk.begin(), chunk.end(), std::back_inserter(ready_elements_));
        delivered_ = true;
        ready_.notify_one();
        if (ended_) return;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      ended_ = true;
      ready_.notify_one();
    }
  }

  // How many elements there is room for; 0 to stop.
  int64_t wait_for_room() {
    std::unique_lock lock(mutex_);
    space_.wait(lock, [&] { return stopping_ || ready_elements_.size() < room_; });
    return stopping_
               ? 0
               : std::min(largest_chunk, static_cast<int64_t>(room_ - ready_elements_.size()));
  }

  std::unique_ptr<Stage> input_;
  const bool grows_;
  std::mutex mutex_;  // guards:
  std::condition_variable space_, ready_;
  std::deque<Example> ready_elements_;
  size_t room_;
  size_t largest_bytes_ = 0;  // of the elements seen
  bool delivered_ = false, ended_ = false, stopping_ = false;
  std::exception_ptr error_;
  std::unique_ptr<WorkerThread> worker_;  // last, so that it starts when all is there
};

class PrefetchNode : public UnaryNode {
 public:
  PrefetchNode(NodePointer input, int64_t buffer_size, std::string label)
      : UnaryNode(std::move(input), std::move(label)), buffer_size_(buffer_size) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<PrefetchStage>(context, *this, input().make(context), buffer_size_);
  }

 private:
  int64_t buffer_size_;
};

}  // namespace

Dataset Dataset::prefetch(int64_t buffer_size, SourceLocation location) const {
  if (buffer_size == 0) return *this;
  if (buffer_size < autotune) {
    raise<InvalidArgument>({.what = str("prefetch(", buffer_size, ")"),
                            .wanted = "a number of elements, or data::autotune",
                            .location = location});
  }
  return Dataset(
      std::make_shared<PrefetchNode>(node_, buffer_size, label_at("prefetch", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
