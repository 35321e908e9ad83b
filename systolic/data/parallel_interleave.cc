// interleave by several threads, in order unless told otherwise.
//
// Each worker asks the input that is most in need of elements, and leaves them in its slot; the
// reader takes them by turns.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "systolic/data/held_bytes.h"
#include "systolic/data/interleave_stages.h"
#include "systolic/data/stage_workers.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class ParallelInterleave : public Stage {
 public:
  ParallelInterleave(const Context& context, const Node& node, std::unique_ptr<Inputs> inputs,
                     InterleaveOptions options)
      : Stage(context, &node, node.label()),
        inputs_(std::move(inputs)),
        in_order_(options.deterministic.value_or(run().options().deterministic)),
        slots_(static_cast<size_t>(options.cycle_length)),
        turns_(options.block_length),
        room_(static_cast<size_t>(std::max(largest_chunk, 2 * options.block_length))),
        workers_(
            mutex_, work_, run(), counters(),
            ThreadTuner(options.num_parallel_calls,
                        static_cast<int>(std::min<int64_t>(options.cycle_length, most_threads)),
                        run(), counters()),
            [this] { work(); }) {}

 protected:
  Chunk produce(int64_t most) override {
    workers_.start();
    Chunk result;
    std::unique_lock lock(mutex_);
    while (static_cast<int64_t>(result.size()) < most &&
           estimated_bytes(result) < run().large_chunk_bytes()) {
      Slot& slot = slots_[turns_.slot()];
      if (!slot.ready.empty()) {
        take_turn(slot, most, result);
      } else if (slot.error) {
        if (!result.empty()) break;
        std::rethrow_exception(slot.error);
      } else if (slot.ended) {
        close(slot, lock);
        turns_.pass(slots_.size());
        work_.notify_one();
      } else if (slot.input == nullptr) {
        if (open(slot, lock)) continue;
        if (finished()) break;
        turns_.pass(slots_.size());
        work_.notify_one();
      } else if (!result.empty()) {
        break;  // rather a part now than all later
      } else if (!in_order_ && any_news()) {
        turns_.pass(slots_.size());
        work_.notify_one();
      } else {
        wait_for_news(slot, lock);
      }
    }
    return result;
  }
  void transfer_members(StateArchive& archive) override {
    std::unique_lock lock(mutex_);
    const StageWorkers::Pause pause(workers_);
    ready_.wait(lock, [&] {
      return std::none_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.reading; });
    });
    turns_.transfer(archive, slots_.size());
    archive.flag(all_opened_);
    inputs_->transfer(archive);
    for (Slot& slot : slots_) {
      inputs_->transfer(slot.input, archive);
      archive.elements(slot.ready);
      archive.failure(slot.error);
      archive.flag(slot.ended);
      if (slot.ended && slot.input == nullptr) archive.damaged("the end of no input");
    }
  }

 private:
  struct Slot {
    std::unique_ptr<OpenInput> input;
    std::deque<Example> ready;
    std::exception_ptr error;
    bool reading = false, ended = false;
    size_t bytes = 0;  // counted as held
  };

  // Counts what a slot keeps, and what it may get while it is being read.
  void hold(Slot& slot) {
    const size_t now = estimated_bytes(slot.ready) + (slot.reading ? run().large_chunk_bytes() : 0);
    held_.add(static_cast<int64_t>(now) - static_cast<int64_t>(std::exchange(slot.bytes, now)));
  }

  static bool has_news(const Slot& slot) { return !slot.ready.empty() || slot.error || slot.ended; }
  bool any_news() const { return std::any_of(slots_.begin(), slots_.end(), has_news); }
  bool finished() const {
    return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
      return slot.input == nullptr && slot.ready.empty() && !slot.error;
    });
  }

  int threads_reading() const {
    return static_cast<int>(
        std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.reading; }));
  }

  // Of the slot whose turn it is, or of any. May return without.
  void wait_for_news(const Slot& slot, std::unique_lock<std::mutex>& lock) {
    workers_.wait_for_news(
        lock, ready_, [&] { return in_order_ ? has_news(slot) : any_news(); },
        [&] { return threads_reading(); });
  }

  // Inputs are opened and closed without the lock: both may take long.
  bool open(Slot& slot, std::unique_lock<std::mutex>& lock) {
    if (all_opened_) return false;
    lock.unlock();
    std::unique_ptr<OpenInput> input;
    std::exception_ptr error;
    try {
      input = inputs_->open();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    slot.input = std::move(input);
    slot.error = error;  // thrown in its turn, behind what came before
    all_opened_ = slot.input == nullptr && !error;
    work_.notify_one();
    return !all_opened_;
  }

  void close(Slot& slot, std::unique_lock<std::mutex>& lock) {
    std::unique_ptr<OpenInput> old = std::move(slot.input);
    slot.ended = false;
    lock.unlock();
    old.reset();
    lock.lock();
  }

  void take_turn(Slot& slot, int64_t most, Chunk& result) {
    const size_t each = std::max<size_t>(1, slot.ready.front().byte_size());
    const auto count = std::min({static_cast<size_t>(turns_.left()), slot.ready.size(),
                                 static_cast<size_t>(most) - result.size(),
                                 std::max<size_t>(1, run().large_chunk_bytes() / each)});
    for (size_t i = 0; i < count; ++i) {
      result.push_back(std::move(slot.ready.front()));
      slot.ready.pop_front();
    }
    hold(slot);
    turns_.took(static_cast<int64_t>(count), slots_.size());
    work_.notify_one();
  }

  bool wants_more(const Slot& slot) const {
    return slot.input != nullptr && !slot.reading && !slot.ended && !slot.error &&
           slot.ready.size() <= room_ / 2 &&
           estimated_bytes(slot.ready) < run().large_chunk_bytes();
  }

  // The slot most in need of elements.
  Slot* choose() {
    Slot* chosen = nullptr;
    // Over the memory budget only the input is read whose turn it is.
    if (!run().has_room_for(run().large_chunk_bytes())) {
      Slot& now = slots_[turns_.slot()];
      return wants_more(now) && now.ready.empty() ? &now : nullptr;
    }
    for (Slot& slot : slots_) {
      if (!wants_more(slot)) continue;
      if (chosen == nullptr || slot.ready.size() < chosen->ready.size()) chosen = &slot;
    }
    return chosen;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Slot* slot = nullptr;
      work_.wait(lock, [&] {
        return workers_.stopping() || (!workers_.paused() && (slot = choose()) != nullptr);
      });
      if (workers_.stopping()) return;
      slot->reading = true;
      hold(*slot);
      const auto most = static_cast<int64_t>(room_ - slot->ready.size());
      lock.unlock();
      Chunk chunk;
      std::exception_ptr error;
      try {
        chunk = slot->input->stage->next(std::min(most, largest_chunk));
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      slot->reading = false;
      slot->error = error;
      slot->ended = chunk.empty() && !error;
      std::move(chunk.begin(), chunk.end(), std::back_inserter(slot->ready));
      hold(*slot);
      ready_.notify_one();
    }
  }

  std::unique_ptr<Inputs> inputs_;
  const bool in_order_;
  std::mutex mutex_;  // guards all below
  std::condition_variable work_, ready_;
  std::vector<Slot> slots_;
  HeldBytes held_{counters()};
  Turns turns_;
  const size_t room_;
  bool all_opened_ = false;
  StageWorkers workers_;  // last, so that its threads end first
};

}  // namespace

std::unique_ptr<Stage> make_parallel_interleave(const Context& context, const Node& node,
                                                std::unique_ptr<Inputs> inputs,
                                                InterleaveOptions options) {
  return std::make_unique<ParallelInterleave>(context, node, std::move(inputs), options);
}

}  // namespace data
}  // namespace systolic::inline v0
