// What a client of the software TPU shares with its buffers and programs, which may outlive it.
#pragma once

#include <chrono>
#include <mutex>
#include <vector>

#include "backends/cpu/memory_block.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace cpu {

class CpuBuffer;

class Engine {
 public:
  Engine(TpuKind kind, int cores);

  const TpuKind& kind() const { return kind_; }
  int cores() const { return cores_; }

  // One program runs at a time: whoever executes holds this. Several threads may call predict(),
  // they take turns.
  std::mutex& run_mutex() { return run_mutex_; }

  // Scratch memory of the running program, at least this large. Under run_mutex().
  std::byte* arena(int64_t bytes);

  // Buffers that live here, so that reset() finds them.
  void add(CpuBuffer& buffer);
  void remove(CpuBuffer& buffer);
  int64_t memory_in_use(int core) const;
  void reset();

  // A program ran: `flops` and `bytes` by each core.
  void count_run(double flops, double bytes, std::chrono::steady_clock::time_point start,
                 std::chrono::steady_clock::time_point end);
  void add_input_wait(double seconds);
  runtime::CoreCounters counters() const;
  void reset_counters();

 private:
  TpuKind kind_;
  int cores_;
  std::mutex run_mutex_;
  MemoryBlockPtr arena_;
  mutable std::mutex mutex_;  // what follows
  CpuBuffer* first_ = nullptr;
  runtime::CoreCounters counters_;
  std::chrono::steady_clock::time_point counted_until_;
};

}  // namespace cpu
}  // namespace systolic::inline v0
