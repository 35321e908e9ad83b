// Do the collectives of a program name only cores that it has?
//
// A TPU's compiler ends its process over a group that names others, so a program is checked before
// a compiler sees it. Source: StableHLO docs/spec.md, "Collective ops": what ids count depends on
// channel_id and use_global_device_ids.
#pragma once

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Cores that the module's attributes mhlo.num_replicas and mhlo.num_partitions ask for; 1 each
// where they are missing.
struct CoreCounts {
  int64_t replicas = 1, partitions = 1;
};
CoreCounts core_counts(const Program& program);

// Every replica_groups and source_target_pairs, in regions too. An id below 0 (except the -1 that
// fills short groups) or beyond the last is an InvalidArgument at its op.
void check_cores(const Program& program);

// Whether cores compute on their own parts somewhere in the program: sdy.manual_computation, which
// JAX's shard_map becomes.
bool has_manual_part(const Program& program);
// Cores that such a part is for: the partitions that the module asks for, or those of the mesh
// where it asks for none. 1: there is no such part.
int64_t manual_cores(const Program& program);

// Whether an argument of the entry leaves a size open: "?".
bool has_open_sizes(const Program& program);

}  // namespace stablehlo
}  // namespace systolic::inline v0
