// The software TPU: N virtual cores on the processor.
//
// A global program (num_partitions = N) runs whole, once; arguments and results count in a core's
// memory by their shardings, temporaries and work in equal shares. A per-core program (num_replicas
// = N) runs stacked: what differs between cores is one array with a leading axis of cores. Programs
// run one after the other on the engine's thread pool, whichever thread asks. Sums are cut for the
// pool's number of threads, or for that of SYSTOLIC_PLANNED_THREADS; results depend on that number,
// to rounding, and on nothing else.
#pragma once

#include <memory>
#include <string_view>

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace cpu {

class Planner;
// How the ops of a block become steps: lower/lower_block.h.
using LowerBlock = void (*)(Planner& planner, const ir::Block& block);

// `kind` as parse_tpu_kind takes it; `cores` of its cores, 0 for all. More than it has is an
// InvalidArgument. `lower`: nullptr for lower_block; tests give one whose steps fail.
// `keep_subnormals` as runtime::ClientOptions has it.
runtime::ClientPtr open_software_tpu(std::string_view kind = "v3-8", int cores = 0,
                                     LowerBlock lower = nullptr, bool keep_subnormals = false);
// A kind that no table has: cores with less memory.
runtime::ClientPtr open_software_tpu(TpuKind kind, int cores = 0, LowerBlock lower = nullptr,
                                     bool keep_subnormals = false);

}  // namespace cpu
}  // namespace systolic::inline v0
