// Collectives of a program become calls of custom functions, through which the processes exchange
// arrays. All processes run the same program, so that they come to the calls in the same order.
#pragma once

#include <memory>
#include <string>

#include "backends/peers/exchange_queue.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace peers {

// Makes the functions known, under names of their own: several groups of processes may live in one
// process, as in tests. They are known for the life of the process, and hold `queue` weakly.
std::string register_exchange(const std::shared_ptr<ExchangeQueue>& queue);

// A sum travels on its own once it has this many bytes, together with others before.
inline constexpr int64_t bucket_bytes = int64_t{1} << 21;

// The program of one process, as passes::partition makes it (num_replicas processes), with calls of
// the functions that register_exchange named: all_reduce, all_gather, all_to_all between all
// processes, and replica_id. Unimplemented for other collectives and for groups.
//
// An all_reduce becomes two calls. The first sends the sum on its way, together with those that
// were ready shortly before it, up to bucket_bytes; the second waits for the result, where the
// program first reads one of them. Between the two the program computes on: weight gradients travel
// while the backward pass goes on.
ir::Module with_exchange(const ir::Module& module, const std::string& exchange);

}  // namespace peers
}  // namespace systolic::inline v0
