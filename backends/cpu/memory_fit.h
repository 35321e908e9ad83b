// What a program needs of each core's memory, and whether it has that.
#pragma once

#include <vector>

#include "backends/cpu/plan/plan.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/executable.h"
#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {
namespace cpu {

// An argument or result as callers see it: stacked ones have an array a core.
struct Signature {
  struct Entry {
    ir::Type type;
    ir::Parameter parameter;
    bool stacked = false;
    // Bytes on one core.
    int64_t core_bytes() const;
  };
  std::vector<Entry> arguments, results;
  int64_t cores = 1;  // that share the work: num_replicas or num_partitions
};

// By the published sizes: split arrays count in part, replicated ones whole, temporaries split as
// the batch is.
runtime::MemoryStats memory_per_core(const Plan& plan, const Signature& signature);

// ResourceExhausted with the parts, and what to do, when the peak exceeds the memory of a core.
void check_memory(const runtime::MemoryStats& stats, const TpuKind& kind, std::string_view program);

}  // namespace cpu
}  // namespace systolic::inline v0
