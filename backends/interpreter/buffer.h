// Arrays of the interpreter: host literals with a placement.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "systolic/runtime/buffer.h"
#include "systolic/runtime/knows_readiness.h"
#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {
namespace interpreter {

// What buffers share with their client, which they may outlive.
struct DeviceState {
  explicit DeviceState(int core_count)
      : topology(core_count), memory_in_use(static_cast<size_t>(core_count)) {}
  const runtime::Topology topology;
  std::atomic<int64_t> generation{0};               // grows with each reset
  std::vector<std::atomic<int64_t>> memory_in_use;  // bytes, by core
  int cores() const { return topology.cores(); }
};

class Buffer : public runtime::Buffer, public runtime::KnowsReadiness {
 public:
  // `literal`: with a leading axis of cores for per_core placement, else as type().
  Buffer(Literal literal, runtime::Placement placement, std::shared_ptr<DeviceState> state);
  ~Buffer() override;

  const ir::Type& type() const override { return type_; }
  const runtime::Placement& placement() const override { return placement_; }
  Literal to_literal() const override;
  Literal core_literal(int core) const override;
  bool deleted() const override { return state_->generation != generation_; }
  bool is_ready() const override { return true; }  // programs run to the end before they return

 private:
  void count_memory(int64_t sign);
  // Bytes of this buffer on a core.
  int64_t bytes_on(int core) const;

  Literal literal_;
  runtime::Placement placement_;
  ir::Type type_;
  std::shared_ptr<DeviceState> state_;
  int64_t generation_;
};

}  // namespace interpreter
}  // namespace systolic::inline v0
