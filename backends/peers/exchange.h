// Collectives of a program become calls of custom functions, through which the processes exchange
// arrays. All processes run the same program, so that they come to the calls in the same order.
#pragma once

#include <string>

#include "systolic/ir/module.h"
#include "systolic/runtime/peers.h"

namespace systolic::inline v0 {
namespace peers {

// Makes the functions known, under names of their own: several groups of processes may live in one
// process, as in tests. They are known for the life of the process, and hold `peers` weakly.
std::string register_exchange(const runtime::PeersPtr& peers);

// The program of one process, as passes::partition makes it (num_replicas processes), with calls of
// the functions that register_exchange named: all_reduce, all_gather, all_to_all between all
// processes, and replica_id. Unimplemented for other collectives and for groups.
ir::Module with_exchange(const ir::Module& module, const std::string& exchange);

}  // namespace peers
}  // namespace systolic::inline v0
