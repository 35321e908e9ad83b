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

namespace systolic::inline v0 {
namespace data {

using Chunk = std::vector<Example>;
inline constexpr int64_t largest_chunk = 128;
// A stage that gathers elements hands them over when they reach this size, however few they are.
inline constexpr size_t large_chunk_bytes = size_t{1} << 20;
// As if all elements were as large as the first: to look at each one, somewhere in memory, would
// cost more than many a stage.
template <class Elements>
size_t estimated_bytes(const Elements& elements) {
  return elements.empty() ? 0 : elements.size() * elements.front().byte_size();
}

// What one transformation has done in one iterator, over all epochs.
struct StageCounters {
  explicit StageCounters(std::string stage_name) : name(std::move(stage_name)) {}
  const std::string name;
  std::atomic<int64_t> elements{0};
  std::atomic<int64_t> bytes{0};    // as if the elements of a chunk were all as large as its first
  std::atomic<int64_t> busy_ns{0};  // own work, on all its threads
  std::atomic<int64_t> waiting_ns{0};  // for results of its own threads
};

// Shared by all stages of one iterator.
class RunState {
 public:
  explicit RunState(Options options) : options_(options) {}
  const Options& options() const { return options_; }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // The counters of one transformation: the same ones each time it is started again.
  std::shared_ptr<StageCounters> counters(const void* key, std::string_view name);
  std::vector<std::shared_ptr<StageCounters>> all_counters() const;

 private:
  const Options options_;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::vector<std::pair<const void*, std::shared_ptr<StageCounters>>> counters_;
};

struct Context {
  std::shared_ptr<RunState> run;
  // Tells apart the times a transformation is run: which iterator, which epoch of each repeat
  // around it.
  uint64_t epoch = 0;
};

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
      : run_(context.run), counters_(context.run->counters(key, name)) {}
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // The next elements: at least one and at most `most`; none at the end. After an error every call
  // throws it again.
  Chunk next(int64_t most);

 protected:
  virtual Chunk produce(int64_t most) = 0;

  // For a handler: hands out the elements made before the error, and throws it at the next call.
  Chunk fail_after(Chunk made);
  // For long loops: throws Cancelled once the iterator goes away.
  void check_cancelled() const;
  const RunState& run() const { return *run_; }
  StageCounters& counters() { return *counters_; }

 private:
  std::shared_ptr<RunState> run_;
  std::shared_ptr<StageCounters> counters_;
  std::exception_ptr failure_;
};

}  // namespace data
}  // namespace systolic::inline v0
