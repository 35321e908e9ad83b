// A program of the software TPU, ready to run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/engine.h"
#include "backends/cpu/memory_fit.h"
#include "backends/cpu/plan/plan.h"
#include "systolic/passes/partition/collective_bytes.h"
#include "systolic/runtime/executable.h"

namespace systolic::inline v0 {
namespace cpu {

class CpuBuffer;

class CpuExecutable final : public runtime::Executable {
 public:
  CpuExecutable(std::shared_ptr<Engine> engine, std::string name, Plan plan, Signature signature);

  // Runs to the end before it returns. Calls from several threads take turns.
  std::vector<runtime::BufferPtr> execute(std::vector<runtime::BufferPtr>&& arguments,
                                          const runtime::ExecuteOptions& options) override;
  runtime::MemoryStats memory() const override { return memory_; }
  runtime::CostStats cost() const override { return work_of_a_run({}, 1); }
  double compile_ms() const override { return compile_ms_; }

  void set_compile_ms(double milliseconds) { compile_ms_ = milliseconds; }
  void set_collectives(const passes::CollectiveBytes& collectives) { collectives_ = collectives; }
  void keep_subnormals() { keeps_subnormals_ = true; }
  const Plan& plan() const { return plan_; }

 private:
  // What each of `cores` did, after a run.
  runtime::CostStats work_of_a_run(const RunState& state, double cores) const;
  [[noreturn]] void raise_deleted(size_t argument) const;
  const CpuBuffer& check_argument(size_t i, const runtime::BufferPtr& argument) const;
  MemoryBlockPtr argument_block(size_t i, runtime::BufferPtr& argument) const;
  MemoryBlockPtr spread_over_cores(const MemoryBlockPtr& block, int64_t bytes) const;
  std::vector<MemoryBlockPtr> run(const std::vector<MemoryBlockPtr>& inputs, RunState& state);
  bool written_before_loop_ends(size_t argument) const;
  bool are_prepared(const std::vector<MemoryBlockPtr>& inputs) const;
  void note_prepared(const std::vector<MemoryBlockPtr>& inputs);
  void release_donated(const std::vector<runtime::BufferPtr>& arguments) const;
  void give_back(const std::vector<runtime::BufferPtr>& arguments,
                 const std::vector<MemoryBlockPtr>& inputs, const RunState& state) const;
  void point(const std::vector<MemoryBlockPtr>& arguments,
             const std::vector<MemoryBlockPtr>& results);
  runtime::Placement checked_arguments(const std::vector<runtime::BufferPtr>& arguments,
                                       const runtime::ExecuteOptions& options) const;
  runtime::Placement result_placement(size_t i, const runtime::Placement& of_arguments) const;

  std::shared_ptr<Engine> engine_;
  std::string name_;
  Plan plan_;
  Signature signature_;
  runtime::MemoryStats memory_;
  passes::CollectiveBytes collectives_;
  double compile_ms_ = 0;
  bool keeps_subnormals_ = false;
  std::vector<std::byte*> pointers_;  // by place
  std::byte* arena_ = nullptr;        // that the pointers are for
  std::vector<PlaceId> movable_;      // places in arguments and results
  // What the steps that prepare have made, and of what.
  struct PreparedFrom {
    std::weak_ptr<const MemoryBlock> block;
    uint64_t version = 0;
  };
  MemoryBlockPtr prepared_;                  // null before the first run
  std::vector<PreparedFrom> prepared_from_;  // as Plan::prepared_from; empty: nothing is made
};

}  // namespace cpu
}  // namespace systolic::inline v0
