// An array in the memory of the software TPU. Whatever its placement, its elements lie together:
// replicated arrays once, sharded ones unsplit, those that differ between cores with a leading axis
// of cores.
#pragma once

#include <atomic>
#include <memory>

#include "backends/cpu/engine.h"
#include "backends/cpu/memory_block.h"
#include "systolic/runtime/buffer.h"
#include "systolic/runtime/knows_readiness.h"

namespace systolic::inline v0 {
namespace cpu {

class CpuBuffer final : public runtime::Buffer, public runtime::KnowsReadiness {
 public:
  CpuBuffer(std::shared_ptr<Engine> engine, ir::Type type, runtime::Placement placement,
            MemoryBlockPtr block);
  ~CpuBuffer() override;

  const ir::Type& type() const override { return type_; }
  const runtime::Placement& placement() const override { return placement_; }
  Literal to_literal() const override;
  Literal core_literal(int core) const override;
  bool deleted() const override;
  bool is_ready() const override { return true; }  // programs run to the end before they return

  bool lives_on(const Engine& engine) const { return engine_.get() == &engine; }
  // Bytes that a real core would hold.
  int64_t bytes_on(int core) const;

  // The memory; null when deleted.
  MemoryBlockPtr block() const;
  // Gives the memory away: the buffer is deleted. Null when it was already.
  MemoryBlockPtr release();
  // Takes back what release() gave.
  void restore(MemoryBlockPtr block);

 private:
  friend class Engine;
  MemoryBlockPtr live_block() const;
  // Tells the engine that the cores hold it, or no longer do.
  void count_memory(bool held) const;
  int64_t held_bytes() const;  // of each core that holds it

  std::shared_ptr<Engine> engine_;
  ir::Type type_;
  runtime::Placement placement_;
  mutable std::mutex mutex_;
  MemoryBlockPtr block_;
  CpuBuffer *previous_ = nullptr, *next_ = nullptr;  // the engine's list
};

// Cores over which the array is split: 1 for replicated.
int64_t shards(const std::optional<ir::Sharding>& sharding);

}  // namespace cpu
}  // namespace systolic::inline v0
