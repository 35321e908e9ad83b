// map by several threads, in order unless told otherwise.
//
// Each worker pulls a chunk from the input (one worker at a time, which fixes the order), works on
// it alone, and leaves the result in a slot of a queue that the reader empties from the front.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/base/spans/spans.h"
#include "systolic/data/held_bytes.h"
#include "systolic/data/transformations/map.h"
#include "systolic/data/workers/stage_workers.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class ParallelMapStage : public Stage {
 public:
  ParallelMapStage(const Context& context, const Node& node, std::unique_ptr<Stage> input,
                   const MapWork& work)
      : Stage(context, &node, node.label()),
        node_(node),
        input_(std::move(input)),
        work_(work),
        in_order_(work.options.deterministic.value_or(run().options().deterministic)),
        workers_(mutex_, space_, run(), counters(),
                 ThreadTuner(work.options.num_parallel_calls, most_threads, run(), counters()),
                 [this] { run_worker(); }) {
    allow_slots();
  }

 protected:
  Chunk produce(int64_t most) override {
    if (const int started = workers_.start()) {
      const std::lock_guard lock(mutex_);
      working_ += started;
    }
    // All elements of a slot may have been skipped.
    while (rest_.empty() && !error_ && take_finished()) {
    }
    if (rest_.empty() && error_) std::rethrow_exception(error_);
    if (static_cast<int64_t>(rest_.size()) <= most) {
      rest_held_.set(0);
      return std::exchange(rest_, {});
    }
    const auto middle = rest_.begin() + static_cast<std::ptrdiff_t>(most);
    Chunk chunk(std::make_move_iterator(rest_.begin()), std::make_move_iterator(middle));
    rest_.erase(rest_.begin(), middle);
    rest_held_.set(estimated_bytes(rest_));
    return chunk;
  }
  // Finished results are saved as such: the function is not called for them again.
  void transfer_members(StateArchive& archive) override {
    std::unique_lock lock(mutex_);
    const StageWorkers::Pause pause(workers_);
    ready_.wait(lock, [&] {
      return !pulling_ && std::all_of(slots_.begin(), slots_.end(),
                                      [](const auto& slot) { return slot->finished; });
    });
    Chunk results = rest_;
    std::exception_ptr error = error_;
    for (auto slot = slots_.begin(); slot != slots_.end() && !error; ++slot) {
      results.insert(results.end(), (*slot)->chunk.begin(), (*slot)->chunk.end());
      error = (*slot)->error;
    }
    archive.elements(results);
    archive.failure(error);
    archive.flag(input_ended_);
    archive.integer(next_index_, 0, StateArchive::largest_count);
    input_->transfer(archive);
    if (!archive.saving()) {
      rest_ = std::move(results);
      error_ = error;
    }
  }

 private:
  struct Slot {
    Chunk chunk;
    int64_t first_index = 0;  // of the chunk's first element
    std::exception_ptr error;
    bool finished = false;
    size_t bytes = 0;  // counted as held
  };

  // The slot whose result comes next, if it is there.
  auto usable_slot() {
    const auto slot =
        std::find_if(slots_.begin(), slots_.end(), [](const auto& each) { return each->finished; });
    return in_order_ && slot != slots_.begin() ? slots_.end() : slot;
  }
  bool nothing_to_come() const { return working_ == 0 && slots_.empty(); }

  // Waits for the next slot's results, and makes them the rest; false at the end.
  bool take_finished() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (const auto slot = usable_slot(); slot != slots_.end()) {
        const std::unique_ptr<Slot> taken = std::move(*slot);
        slots_.erase(slot);
        held_.add(-static_cast<int64_t>(taken->bytes));
        most_now_ = run().has_room_for(0) ? most_slots_ : 1;
        lock.unlock();
        space_.notify_one();
        error_ = taken->error;
        rest_ = std::move(taken->chunk);
        return true;
      }
      if (nothing_to_come()) return false;
      const bool another = workers_.wait_for_news(
          lock, ready_, [&] { return usable_slot() != slots_.end() || nothing_to_come(); },
          [&] { return threads_at_work(); });
      if (!another) continue;
      ++working_;
      allow_slots();
      space_.notify_all();
    }
  }

  // Two for each thread, so that it finds room while the reader takes what it made before.
  void allow_slots() {
    most_slots_ = 2 * static_cast<size_t>(workers_.threads());
    most_now_ = run().has_room_for(0) ? most_slots_ : 1;
  }

  // In the function, or pulling: one more could do the one while another does the other.
  int threads_at_work() const {
    const auto in_function = std::count_if(slots_.begin(), slots_.end(),
                                           [](const auto& slot) { return !slot->finished; });
    return static_cast<int>(in_function) + (pulling_ ? 1 : 0);
  }

  void run_worker() {
    while (Slot* slot = pull()) {
      if (!slot->error) run_function(*slot);
      // The slot's place in the queue keeps it alive until it is finished.
      std::lock_guard lock(mutex_);
      hold(*slot);
      slot->finished = true;
      ready_.notify_one();
    }
    std::lock_guard lock(mutex_);
    --working_;
    ready_.notify_one();
  }

  // The next chunk of the input in a new slot; none when there is no more to do.
  Slot* pull() {
    std::lock_guard one_at_a_time(pull_mutex_);
    {
      std::unique_lock lock(mutex_);
      space_.wait(lock, [&] {
        return workers_.stopping() || (!workers_.paused() && slots_.size() < most_now_);
      });
      if (workers_.stopping() || input_ended_) return nullptr;
      pulling_ = true;
    }
    auto slot = pull_chunk();
    std::lock_guard lock(mutex_);
    pulling_ = false;
    ready_.notify_one();
    if (slot == nullptr) return nullptr;
    slots_.push_back(std::move(slot));
    hold(*slots_.back());
    most_now_ = run().has_room_for(slots_.back()->bytes) ? most_slots_ : 1;
    return slots_.back().get();
  }

  // Counts what a slot keeps. Under the mutex.
  void hold(Slot& slot) {
    const size_t before = std::exchange(slot.bytes, estimated_bytes(slot.chunk));
    held_.add(static_cast<int64_t>(slot.bytes) - static_cast<int64_t>(before));
  }

  std::unique_ptr<Slot> pull_chunk() {
    auto slot = std::make_unique<Slot>();
    try {
      slot->chunk = input_->next(chunk_size_.load(std::memory_order_relaxed));
      input_ended_ = slot->chunk.empty();
    } catch (...) {
      slot->error = std::current_exception();
      input_ended_ = true;
    }
    if (input_ended_ && !slot->error) return nullptr;
    slot->first_index = next_index_;
    next_index_ += static_cast<int64_t>(slot->chunk.size());
    return slot;
  }

  void run_function(Slot& slot) {
    Timer timer(counters().busy_ns);
    const spans::Span span(
        [this] { return spans::id_of({.kind = spans::WorkKind::input, .name = node_.label()}); });
    const auto start = std::chrono::steady_clock::now();
    Chunk& chunk = slot.chunk;
    const size_t count = chunk.size();
    try {
      map_chunk(work_, run(), chunk, node_.label(), slot.first_index);
    } catch (...) {
      slot.error = std::current_exception();
    }
    adapt_chunk_size(count, std::chrono::steady_clock::now() - start);
  }

  // Chunks of about 200 µs: long enough to hide the hand-over, short enough to share the work
  // evenly.
  void adapt_chunk_size(size_t count, std::chrono::nanoseconds duration) {
    constexpr int64_t wanted_ns = 200'000;
    const int64_t each = std::max<int64_t>(1, duration.count() / static_cast<int64_t>(count));
    const int64_t now = chunk_size_.load(std::memory_order_relaxed);
    chunk_size_.store(std::clamp<int64_t>(wanted_ns / each, 1, std::min(2 * now, largest_chunk)),
                      std::memory_order_relaxed);
  }

  const Node& node_;
  std::unique_ptr<Stage> input_;
  const MapWork& work_;
  const bool in_order_;
  std::atomic<int64_t> chunk_size_{1};
  Chunk rest_;                // handed out piece by piece,
  std::exception_ptr error_;  // and what is thrown after it
  HeldBytes rest_held_{counters()};

  std::mutex pull_mutex_;  // guards, while pulling_, the input and:
  bool input_ended_ = false;
  int64_t next_index_ = 0;

  std::mutex mutex_;  // guards:
  std::condition_variable space_, ready_;
  std::deque<std::unique_ptr<Slot>> slots_;
  size_t most_slots_ = 1;
  size_t most_now_ = 1;  // most_slots_, or 1 over the memory budget
  HeldBytes held_{counters()};
  bool pulling_ = false;
  int working_ = 0;  // threads that have not ended; below 0 for a moment at the start

  StageWorkers workers_;  // last, so that its threads end first
};

}  // namespace

std::unique_ptr<Stage> make_parallel_map(const Context& context, const Node& node,
                                         std::unique_ptr<Stage> input, const MapWork& work) {
  return std::make_unique<ParallelMapStage>(context, node, std::move(input), work);
}

}  // namespace data
}  // namespace systolic::inline v0
