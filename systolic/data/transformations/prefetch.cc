#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/base/threads/handoff_queue.h"
#include "systolic/data/dataset.h"
#include "systolic/data/held_bytes.h"
#include "systolic/data/node.h"
#include "systolic/data/workers/worker_thread.h"

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
        queue_(room_) {}

  ~PrefetchStage() override {
    queue_.stop();
    if (worker_ != nullptr) --counters().workers;
    worker_.reset();
  }

 protected:
  Chunk produce(int64_t most) override {
    const auto count = static_cast<size_t>(most);
    if (worker_ == nullptr && !restored_end_) start();
    if (!queue_.would_wait()) return queue_.take(count);
    grow();
    Timer timer(counters().waiting_ns);
    return queue_.take(count);
  }
  void transfer_members(StateArchive& archive) override {
    const std::lock_guard no_turn(turn_);
    queue_.visit([&](auto& items, bool& finished, std::exception_ptr& error) {
      archive.flag(finished);
      archive.elements(items);
      archive.failure(error);
      restored_end_ = finished;
    });
    input_->transfer(archive);
  }

 private:
  void start() {
    worker_ = std::make_unique<WorkerThread>(run().options().thread_niceness, [this] { work(); });
    // Datasets made while running have one each, all under these counters.
    const int workers = ++counters().workers;
    int threads = counters().threads;
    while (threads < workers && !counters().threads.compare_exchange_weak(threads, workers)) {
    }
  }

  // Over the budget one element waits at a time.
  void stay_in_budget() {
    const size_t each = largest_bytes_;
    size_t waiting = 0;
    queue_.visit([&](auto& items, bool, const std::exception_ptr&) { waiting = items.size(); });
    held_.set(waiting * each);
    queue_.set_room(run().has_room_for(each) ? room_.load() : 1);
  }

  // A reader that finds nothing could have used a longer queue: as long as that costs little
  // memory.
  void grow() {
    constexpr size_t most_elements = 256, most_bytes = size_t{128} << 20;
    const size_t each = largest_bytes_;
    if (!grows_ || each == 0) return;
    room_ = std::max(room_.load(), std::min({2 * room_, most_elements, most_bytes / each}));
    queue_.set_room(run().has_room_for(each) ? room_.load() : 1);
  }

  void work() {
    try {
      while (const size_t room = queue_.wait_for_room()) {
        const std::lock_guard turn(turn_);
        Chunk chunk = input_->next(std::min(largest_chunk, static_cast<int64_t>(room)));
        if (chunk.empty()) return queue_.finish();
        largest_bytes_ = std::max({size_t{1}, largest_bytes_.load(), chunk.front().byte_size()});
        queue_.put_all(std::move(chunk));
        stay_in_budget();
      }
    } catch (...) {
      queue_.finish(std::current_exception());
    }
  }

  std::unique_ptr<Stage> input_;
  const bool grows_;
  std::atomic<size_t> room_;
  std::atomic<size_t> largest_bytes_ = 0;  // of the elements seen; 0 before the first
  HeldBytes held_{counters()};             // set by the worker
  HandoffQueue<Example> queue_;
  std::mutex turn_;            // held from asking for elements until they are in the queue
  bool restored_end_ = false;  // nothing is left to be made
  std::unique_ptr<WorkerThread> worker_;  // last, so that it ends first
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
