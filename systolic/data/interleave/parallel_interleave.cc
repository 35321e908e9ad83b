// interleave by several threads, in order unless told otherwise.
//
// The workers open the next inputs before the reader comes to them, since opening a remote file
// takes time, and read from the inputs most in need of elements; the reader takes these by turns.
// Origins are taken one at a time, so that the inputs are the same in the same order, whoever opens
// them.
#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/data/held_bytes.h"
#include "systolic/data/interleave/interleave_stages.h"
#include "systolic/data/workers/stage_workers.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// An input, and what was read of it ahead.
struct Source {
  std::unique_ptr<OpenInput> input;  // without a stage until it is open
  std::deque<Example> ready;
  std::exception_ptr error;
  bool busy = false, ended = false;  // busy: somebody opens it or reads it
  bool was_read = false;
  bool again = false;  // there were too many open files for it when it was not needed
  size_t bytes = 0;    // counted as held

  bool has_news() const { return !ready.empty() || error || ended; }
};

// How many files may be open that are not read in turns yet: few of those that a process may have.
size_t files_to_open_ahead() {
  constexpr rlim_t part = 16;
  constexpr size_t most = 64;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  return static_cast<size_t>(std::min<rlim_t>(files.rlim_cur / part, most));
}

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
        most_ahead_(std::min(slots_.size(), files_to_open_ahead())),
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
      std::unique_ptr<Source>& slot = slots_[turns_.slot()];
      if (slot == nullptr) {
        if (!result.empty() && ahead_.empty() && !all_taken_) break;
        if (fill(slot, lock)) continue;
        if (finished()) break;
        pass();
      } else if (!slot->ready.empty()) {
        take_turn(*slot, most, result);
      } else if (slot->error) {
        if (!result.empty()) break;
        std::rethrow_exception(slot->error);
      } else if (slot->ended) {
        close(slot, lock);
        pass();
      } else if (!result.empty()) {
        break;  // rather a part now than all later
      } else if (!in_order_ && any_news()) {
        pass();
      } else {
        wait_for_news(*slot, lock);
      }
    }
    return result;
  }
  void transfer_members(StateArchive& archive) override {
    std::unique_lock lock(mutex_);
    const StageWorkers::Pause pause(workers_);
    ready_.wait(lock, [&] { return !taking_origin_ && threads_at_work() == 0; });
    if (archive.saving()) open_all_ahead(lock);
    archive.expect("inputs opened ahead");  // which states from before there were any do not have
    turns_.transfer(archive, slots_.size());
    archive.flag(all_taken_);
    inputs_->transfer(archive);
    for (auto& slot : slots_) transfer(slot, archive);
    auto ahead = static_cast<int64_t>(ahead_.size());
    archive.integer(ahead, 0, most_threads + static_cast<int64_t>(2 * slots_.size()));
    if (!archive.saving()) ahead_.clear();
    for (int64_t i = 0; i < ahead; ++i) {
      if (!archive.saving()) ahead_.emplace_back();
      transfer(ahead_[static_cast<size_t>(i)], archive);
      if (ahead_[static_cast<size_t>(i)] == nullptr) archive.damaged("an input that is none");
    }
  }

 private:
  // A state holds open inputs. A file that cannot be opened for now fails the save, not the
  // iterator.
  void open_all_ahead(std::unique_lock<std::mutex>& lock) {
    for (auto& source : ahead_) {
      if (source->again) open(*source, lock);
      if (source->again) std::rethrow_exception(source->error);
    }
  }

  void transfer(std::unique_ptr<Source>& slot, StateArchive& archive) {
    Source none;
    if (!archive.saving()) slot = std::make_unique<Source>();
    Source& source = slot == nullptr ? none : *slot;
    inputs_->transfer(source.input, archive);
    archive.elements(source.ready);
    archive.failure(source.error);
    archive.flag(source.ended);
    if (source.ended && source.input == nullptr) archive.damaged("the end of no input");
    if (source.input == nullptr && !source.has_news()) slot = nullptr;
  }

  // Counts what an input keeps, and what it may get while it is opened or read.
  void hold(Source& source) {
    const size_t more =
        source.was_read ? std::max(run().large_chunk_bytes(), element_bytes_) : first_read_bytes_;
    const size_t now = estimated_bytes(source.ready) + (source.busy ? more : 0);
    held_.add(static_cast<int64_t>(now) - static_cast<int64_t>(std::exchange(source.bytes, now)));
  }

  int threads_at_work() const {
    const auto busy = [](const auto& source) { return source != nullptr && source->busy; };
    return static_cast<int>(std::count_if(slots_.begin(), slots_.end(), busy) +
                            std::count_if(ahead_.begin(), ahead_.end(), busy));
  }
  bool any_news() const {
    return std::any_of(slots_.begin(), slots_.end(),
                       [](const auto& slot) { return slot != nullptr && slot->has_news(); });
  }
  size_t empty_slots() const {
    return static_cast<size_t>(std::count(slots_.begin(), slots_.end(), nullptr));
  }
  bool finished() const { return empty_slots() == slots_.size(); }

  void pass() {
    turns_.pass(slots_.size());
    work_.notify_one();
  }

  // Fills the slot whose turn it is, or any. May return without doing so.
  void wait_for_news(const Source& source, std::unique_lock<std::mutex>& lock) {
    if (!in_order_) fill_all();
    workers_.wait_for_news(
        lock, ready_, [&] { return in_order_ ? source.has_news() : any_news(); },
        [&] { return threads_at_work(); });
  }

  // Puts the next input there; it may not be open yet. False where none is left.
  bool fill(std::unique_ptr<Source>& slot, std::unique_lock<std::mutex>& lock) {
    if (ahead_.empty()) {
      wait_for_origin(lock);
      if (ahead_.empty()) open_next(lock);  // nobody did
      if (ahead_.empty()) return false;
    }
    slot = std::move(ahead_.front());
    ahead_.pop_front();
    if (slot->again) open(*slot, lock);
    work_.notify_one();
    return true;
  }
  void wait_for_origin(std::unique_lock<std::mutex>& lock) {
    const Timer timer(counters().waiting_ns);
    ready_.wait(lock, [this] { return !taking_origin_; });
  }
  void fill_all() {
    for (auto slot = slots_.begin(); slot != slots_.end() && !ahead_.empty(); ++slot) {
      if (*slot != nullptr || ahead_.front()->again) continue;
      *slot = std::move(ahead_.front());
      ahead_.pop_front();
    }
  }

  // Inputs are opened and closed without the lock: both may take long.
  void close(std::unique_ptr<Source>& slot, std::unique_lock<std::mutex>& lock) {
    std::unique_ptr<Source> old = std::move(slot);
    lock.unlock();
    old.reset();
    lock.lock();
  }

  // Nothing is thrown: the error comes when it is the input's turn.
  void open(Source& source, std::unique_lock<std::mutex>& lock) {
    source.busy = true;
    source.again = false;
    source.error = nullptr;
    hold(source);
    lock.unlock();
    const std::exception_ptr error = failure_of_opening(*source.input);
    lock.lock();
    source.busy = false;
    source.error = error;
    if (error) keep_or_drop(source);
    hold(source);
  }
  std::exception_ptr failure_of_opening(OpenInput& input) {
    try {
      const Timer timer(counters().busy_ns);
      inputs_->start(input);
    } catch (...) {
      try {
        rethrow_as_function_failed(counters().name);
      } catch (...) {
        return std::current_exception();
      }
    }
    return nullptr;
  }

  // The next input, at the end of those ahead.
  void open_next(std::unique_lock<std::mutex>& lock) {
    if (all_taken_) return;
    taking_origin_ = true;
    lock.unlock();
    auto source = std::make_unique<Source>();
    try {
      source->input = inputs_->next();
    } catch (...) {
      source->error = std::current_exception();
    }
    lock.lock();
    taking_origin_ = false;
    if (source->input == nullptr) all_taken_ = true;
    ready_.notify_one();
    work_.notify_one();
    if (source->input == nullptr && !source->error) return;
    Source& opened = *ahead_.emplace_back(std::move(source));
    if (opened.error || workers_.stopping()) return;
    open(opened, lock);
    ready_.notify_one();
  }

  // Where the system has no more files for what is not needed yet, it may have one later.
  void keep_or_drop(Source& source) {
    try {
      std::rethrow_exception(source.error);
    } catch (const ResourceExhausted&) {
      source.again = !is_needed(source);
    } catch (...) {
    }
    if (source.again) {
      most_ahead_ = 0;
    } else {
      drop(source);
    }
  }
  // Read in turns, or as soon as there is a turn.
  bool is_needed(const Source& source) const {
    const auto waiting = std::find_if(ahead_.begin(), ahead_.end(),
                                      [&](const auto& other) { return other.get() == &source; });
    return waiting == ahead_.end() || static_cast<size_t>(waiting - ahead_.begin()) < empty_slots();
  }
  // A failed input: nothing comes after its error.
  void drop(Source& source) {
    source.again = false;
    source.input = nullptr;
    all_taken_ = true;
  }

  void take_turn(Source& slot, int64_t most, Chunk& result) {
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

  // `turn`: how many elements its next turn takes.
  bool wants_more(const Source& source, int64_t turn = 0) const {
    constexpr size_t usual = size_t{1} << 20, most = size_t{1} << 21;
    const bool short_of_turn = static_cast<int64_t>(source.ready.size()) < turn;
    return source.input != nullptr && !source.busy && !source.ended && !source.error &&
           source.ready.size() <= room_ / 2 &&
           estimated_bytes(source.ready) < (short_of_turn ? most : usual);
  }

  // How much an input takes is known after one was read.
  bool knows_room_for(const Source& source) const {
    return source.was_read || (first_reads_ > 0 && run().has_room_for(first_read_bytes_));
  }

  // What a worker does next.
  struct Task {
    Source* read = nullptr;
    bool open = false;
    explicit operator bool() const { return read != nullptr || open; }
  };

  Task choose() {
    Source* now = slots_[turns_.slot()].get();
    if (now != nullptr && now->ready.empty() && wants_more(*now)) return {.read = now};
    // Over the memory budget only the input whose turn it is is read.
    if (!run().has_room_for(run().large_chunk_bytes())) return {};
    if (may_open()) return {.open = true};
    Source* chosen = most_in_need();
    for (auto next = ahead_.begin(); chosen == nullptr && next != ahead_.end(); ++next) {
      const bool wanted = (*next)->ready.empty() && wants_more(**next);
      if (wanted && knows_room_for(**next)) chosen = next->get();
    }
    return {.read = chosen};
  }

  // The next in turn that lacks elements for its turn, since scarce memory belongs to it. Else the
  // one that has the fewest.
  Source* most_in_need() const {
    Source* fewest = nullptr;
    for (size_t i = 0; i < slots_.size(); ++i) {
      Source* slot = slots_[(turns_.slot() + i) % slots_.size()].get();
      const int64_t turn = i == 0 ? turns_.left() : turns_.block_length();
      if (slot == nullptr || !wants_more(*slot, turn) || !knows_room_for(*slot)) continue;
      if (static_cast<int64_t>(slot->ready.size()) < turn) return slot;
      if (fewest == nullptr || slot->ready.size() < fewest->ready.size()) fewest = slot;
    }
    return fewest;
  }

  // Those that this cycle has room for; and as many more as there are threads, once it is known
  // what an input holds, and where as much again as all of them do would fit.
  bool may_open() const {
    if (all_taken_ || taking_origin_) return false;
    const size_t piece = run().large_chunk_bytes(), empty = empty_slots();
    if (ahead_.size() < empty) return run().has_room_for(2 * piece);
    const size_t more = std::min(most_ahead_, static_cast<size_t>(workers_.threads()));
    if (first_reads_ < slots_.size() || ahead_.size() >= empty + more) return false;
    return run().has_room_for(
        std::max(run().held_bytes(), (slots_.size() + ahead_.size() + 1) * piece));
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Task task;
      work_.wait(lock,
                 [&] { return workers_.stopping() || (!workers_.paused() && (task = choose())); });
      if (workers_.stopping()) return;
      if (task.open) {
        open_next(lock);
      } else {
        read(*task.read, lock);
      }
    }
  }

  void read(Source& source, std::unique_lock<std::mutex>& lock) {
    source.busy = true;
    hold(source);
    const auto most = static_cast<int64_t>(room_ - source.ready.size());
    lock.unlock();
    Chunk chunk;
    std::exception_ptr error;
    try {
      chunk = source.input->stage->next(std::min(most, largest_chunk));
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    source.busy = false;
    source.error = error;
    if (!std::exchange(source.was_read, true)) ++first_reads_;
    // Its elements, and a reader's buffer, which grows by doubling.
    if (!chunk.empty()) {
      element_bytes_ = std::max(element_bytes_, chunk.front().byte_size());
      first_read_bytes_ =
          std::max(first_read_bytes_, estimated_bytes(chunk) + 2 * chunk.front().byte_size());
    }
    source.ended = chunk.empty() && !error;
    std::move(chunk.begin(), chunk.end(), std::back_inserter(source.ready));
    hold(source);
    ready_.notify_one();
  }

  std::unique_ptr<Inputs> inputs_;
  const bool in_order_;
  std::mutex mutex_;  // guards all below
  std::condition_variable work_, ready_;
  std::vector<std::unique_ptr<Source>> slots_;  // nullptr: room for the next one
  std::deque<std::unique_ptr<Source>> ahead_;   // the next ones, in order
  HeldBytes held_{counters()};
  Turns turns_;
  const size_t room_;
  size_t most_ahead_;       // more than are read in turns
  size_t first_reads_ = 0;  // of inputs
  size_t first_read_bytes_ = run().large_chunk_bytes();
  size_t element_bytes_ = 0;    // the largest first one of what was read
  bool all_taken_ = false;      // no origins are left
  bool taking_origin_ = false;  // by somebody, who has left the lock
  StageWorkers workers_;        // last, so that its threads end first
};

}  // namespace

std::unique_ptr<Stage> make_parallel_interleave(const Context& context, const Node& node,
                                                std::unique_ptr<Inputs> inputs,
                                                InterleaveOptions options) {
  return std::make_unique<ParallelInterleave>(context, node, std::move(inputs), options);
}

}  // namespace data
}  // namespace systolic::inline v0
