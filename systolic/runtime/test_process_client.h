// For tests: a client that is one of several processes, on another client that has its cores. The
// other processes are not there: arrays are placed here, programs for all cores are refused.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace runtime {

class ProcessClient final : public Client {
 public:
  ProcessClient(ClientPtr own_cores, Processes processes)
      : real_(std::move(own_cores)), topology_(real_->cores(), processes) {}

  std::string platform() const override { return real_->platform(); }
  const TpuKind& kind() const override { return real_->kind(); }
  const Topology& topology() const override { return topology_; }
  BufferPtr from_host(const Literal& literal, const Placement& placement) override {
    Placement local = placement;
    if (placement.kind == Placement::Kind::single) local.core = own(placement.core);
    return real_->from_host(literal, local);
  }
  ExecutablePtr compile(const ir::Module& module, const CompileOptions& options) override {
    if (module.num_replicas == 1 && module.num_partitions == 1) {
      return real_->compile(module, options);
    }
    raise<Unimplemented>({.what = str("program '", options.name, "' for all processes")});
  }
  CoreCounters counters(int core) const override { return real_->counters(own(core)); }
  void reset_counters() override { real_->reset_counters(); }
  void add_input_wait(double seconds) override { real_->add_input_wait(seconds); }
  int64_t memory_in_use(int core) const override { return real_->memory_in_use(own(core)); }
  void reset() override { real_->reset(); }

 private:
  int own(int core) const {
    ensure(topology_.is_addressable(core), "a core of this process");
    return topology_.core(core).local;
  }

  ClientPtr real_;
  Topology topology_;
};

}  // namespace runtime
}  // namespace systolic::inline v0
