// What a client of the software TPU shares with its buffers and programs, which may outlive it.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/memory_block.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/runtime/client.h"
#include "systolic/runtime/core_clock.h"

namespace systolic::inline v0 {
namespace cpu {

class CpuBuffer;

class Engine {
 public:
  // Computes on `pool`, which outlives the engine.
  Engine(TpuKind kind, int cores, ThreadPool& pool = ThreadPool::compute());

  const TpuKind& kind() const { return kind_; }
  const runtime::Topology& topology() const { return topology_; }
  int cores() const { return topology_.cores(); }
  ThreadPool& pool() const { return pool_; }

  // One program runs at a time: whoever executes holds a turn. Several threads may call predict(),
  // they wait for each other. FailedPrecondition where this thread has a turn already: a function
  // that a program calls (runtime/custom_function.h) may not run another on the same engine.
  class Turn {
   public:
    Turn(Engine& engine, const std::string& program);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Engine& engine_;
  };

  // Scratch memory of the running program, at least this large. Within a turn.
  std::byte* arena(int64_t bytes);

  // Buffers that live here, so that reset() finds them.
  void add(CpuBuffer& buffer);
  void remove(CpuBuffer& buffer);
  int64_t memory_in_use(int core) const;
  void reset();

  // A program begins to run, and ends: on all cores together, or on one alone. It takes `bytes` of
  // each besides the buffers, and has done `work` on each.
  static constexpr int all_cores = -1;
  void begin_run(int core, int64_t bytes);
  void end_run(int core, const runtime::CostStats& work);
  // A core, or all of them, have this many bytes of buffers more, or less. Thread-safe.
  void change_memory(int core, int64_t bytes);
  void add_input_wait(double seconds);
  runtime::CoreCounters counters(int core) const;
  void reset_counters();

 private:
  template <class Change>
  void change_clocks(int core, const Change& change);
  // As much as that is in use now, with `bytes` besides it.
  void note_peak(int core, int64_t bytes);

  TpuKind kind_;
  runtime::Topology topology_;
  ThreadPool& pool_;
  std::mutex run_mutex_;
  std::atomic<std::thread::id> runner_;
  MemoryBlockPtr arena_;
  // Bytes of buffers now and at most: what all cores hold, and by core what it alone holds. The
  // peaks are counted when a program begins, when most is there.
  std::atomic<int64_t> on_all_cores_ = 0;
  std::vector<std::atomic<int64_t>> on_one_core_;
  std::atomic<bool> some_on_one_core_ = false;
  std::vector<std::atomic<int64_t>> peaks_;
  // What all cores held when the running program began: the memory of arguments that it takes is
  // no buffer's until it has ended. 0: none runs.
  std::atomic<int64_t> held_by_run_ = 0;
  mutable std::mutex mutex_;  // what follows
  CpuBuffer* first_ = nullptr;
  // The cores run together, so one clock serves them all, except those that ran something alone.
  runtime::CoreClock clock_;
  std::map<int, runtime::CoreClock> own_clocks_;
};

}  // namespace cpu
}  // namespace systolic::inline v0
