#include <algorithm>
#include <atomic>
#include <exception>

#include "systolic/base/error.h"
#include "systolic/base/handoff_queue.h"
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
        queue_(room_),
        worker_(
            std::make_unique<WorkerThread>(run().options().thread_niceness, [this] { work(); })) {}

  ~PrefetchStage() override {
    queue_.stop();
    worker_.reset();
  }

 protected:
  Chunk produce(int64_t most) override {
    const auto count = static_cast<size_t>(most);
    if (!queue_.would_wait()) return queue_.take(count);
    grow();
    Timer timer(counters().waiting_ns);
    return queue_.take(count);
  }

 private:
  // A reader that finds nothing could have used a longer queue: as long as that costs little
  // memory.
  void grow() {
    constexpr size_t most_elements = 256, most_bytes = size_t{128} << 20;
    const size_t each = largest_bytes_;
    if (!grows_ || each == 0) return;
    room_ = std::max(room_, std::min({2 * room_, most_elements, most_bytes / each}));
    queue_.set_room(room_);
  }

  void work() {
    try {
      while (const size_t room = queue_.wait_for_room()) {
        Chunk chunk = input_->next(std::min(largest_chunk, static_cast<int64_t>(room)));
        if (chunk.empty()) return queue_.finish();
        largest_bytes_ = std::max({size_t{1}, largest_bytes_.load(), chunk.front().byte_size()});
        queue_.put_all(std::move(chunk));
      }
    } catch (...) {
      queue_.finish(std::current_exception());
    }
  }

  std::unique_ptr<Stage> input_;
  const bool grows_;
  size_t room_;
  std::atomic<size_t> largest_bytes_ = 0;  // of the elements seen; 0 before the first
  HandoffQueue<Example> queue_;
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
