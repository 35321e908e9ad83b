// The running half of a dataset: a chain of stages, each pulling chunks of elements from the one
// before it.
//
// A chunk holds several elements, so that the costs of a hand-over (a queue, a clock, a virtual
// call) are shared. Which elements come, and in which order, never depends on how they fall into
// chunks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/data/options.h"
#include "systolic/data/read_ahead_budget.h"
#include "systolic/data/state/state_archive.h"

namespace systolic::inline v0 {
namespace data {

using Chunk = std::vector<Example>;
inline constexpr int64_t largest_chunk = 128;
// As if all elements were as large as the first: looking at each one, somewhere in memory, would
// cost more than the work of many stages.
template <class Elements>
size_t estimated_bytes(const Elements& elements) {
  return elements.empty() ? 0 : elements.size() * elements.front().byte_size();
}

// "map" of a label, "map at train.cc:41".
inline std::string_view name_in(std::string_view label) {
  return label.substr(0, label.find(" at "));
}

// What one transformation has done in one iterator, over all epochs.
struct StageCounters {
  explicit StageCounters(std::string stage_name) : name(std::move(stage_name)) {}
  const std::string name;
  std::atomic<int64_t> elements{0};
  std::atomic<int64_t> bytes{0};    // as if the elements of a chunk were all as large as its first
  std::atomic<int64_t> busy_ns{0};  // own work, on all its threads
  std::atomic<int64_t> waiting_ns{0};  // for results of its own threads
  std::atomic<int> threads{1};         // that share the work
  std::atomic<int> workers{0};         // of several stages that share these counters, now
  std::atomic<int64_t> held_bytes{0};  // made ahead of its reader
};

// Shared by all stages of one iterator.
class RunState {
 public:
  RunState(Options options, uint64_t seed);
  const Options& options() const { return options_; }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // Throws Cancelled once the iterator goes away.
  void check_cancelled() const;
  // For random numbers without a seed of the user's. Saved with the iterator.
  uint64_t seed() const { return seed_; }
  // The counters of one transformation: the same ones each time it is started again.
  std::shared_ptr<StageCounters> counters(const void* key, std::string_view name);
  // All of them, each with the threads that share its work: those of datasets made while running
  // are run by the threads of the transformation that made them.
  struct Counted {
    std::shared_ptr<const StageCounters> counters;
    int threads;
    int team;  // of those threads: transformations of the same number share them
  };
  std::vector<Counted> all_counters() const;
  // What all stages hold ahead, with all that is kept for files to read ahead of their readers.
  size_t held_bytes() const;
  // Whether `bytes` more are within the budget.
  bool has_room_for(size_t bytes) const;
  // The part of the budget for what files read ahead of their readers.
  ReadAheadBudget& read_ahead() { return read_ahead_; }
  int64_t memory_budget_bytes() const { return memory_budget_bytes_; }
  // A stage that gathers elements hands them over when they reach this size, however few they are.
  size_t large_chunk_bytes() const;

 private:
  const Options options_;
  const uint64_t seed_;
  const int64_t memory_budget_bytes_;
  ReadAheadBudget read_ahead_;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::vector<std::pair<const void*, std::shared_ptr<StageCounters>>> counters_;
};

struct Context {
  std::shared_ptr<RunState> run;
  // Tells apart the times a transformation is run: which iterator, which epoch of each repeat
  // around it.
  uint64_t epoch = 0;
  // Set where the dataset was made by a function while running: the transformation that called it.
  // Its stages share their counters with those of the same name in the other datasets made there.
  const void* made_by = nullptr;
  // Sources of files read every file_shards-th one, from file_shard on.
  int64_t file_shards = 1, file_shard = 0;
};

// For a handler of what a user's function may have thrown: rethrows it, as a FunctionFailed that
// names the place where it is not a systolic::Error. std::bad_alloc stays.
[[noreturn]] void rethrow_as_function_failed(std::string_view place);

// Adds the time it lives to a counter, less the time of timers inside it on the same thread.
class Timer {
 public:
  explicit Timer(std::atomic<int64_t>& counter);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  std::atomic<int64_t>& counter_;
  int64_t outer_ns_;
  std::chrono::steady_clock::time_point start_;
};

class Stage {
 public:
  Stage(const Context& context, const void* key, std::string_view name)
      : run_(context.run), counters_(counters_of(context, key, name)) {}
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  static std::shared_ptr<StageCounters> counters_of(const Context& context, const void* key,
                                                    std::string_view name) {
    return context.run->counters(context.made_by != nullptr ? context.made_by : key, name);
  }

  // The next elements: at least one and at most `most`; none at the end. After an error every call
  // throws it again.
  Chunk next(int64_t most);
  // Saves where this stage and all before it stand, or restores it, in which case the stage was
  // just made and asked for nothing. Called by the thread that calls next().
  void transfer(StateArchive& archive);

 protected:
  virtual Chunk produce(int64_t most) = 0;
  // Every member that later elements depend on, then the inputs. Stages with threads let these
  // finish what they hold first, and start them at the first produce().
  virtual void transfer_members(StateArchive& archive) = 0;

  // For a handler: hands out the elements made before the error, and throws it at the next call.
  Chunk fail_after(Chunk made);
  // For long loops: throws Cancelled once the iterator goes away.
  void check_cancelled() const { run_->check_cancelled(); }
  const RunState& run() const { return *run_; }
  RunState& run() { return *run_; }
  StageCounters& counters() { return *counters_; }

 private:
  Chunk produce_or_fail(int64_t most);
  std::shared_ptr<RunState> run_;
  std::shared_ptr<StageCounters> counters_;
  std::exception_ptr failure_;
};

}  // namespace data
}  // namespace systolic::inline v0
