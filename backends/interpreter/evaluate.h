// Runs a module on the host, op by op, index by index: slow, and the definition of what is right.
//
//   std::vector<Literal> results = interpreter::evaluate(module, {x, w});
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace interpreter {

// For programs from strangers, whose loops may never end: after this many ops (those of a region
// count once per run of it) it is a ResourceExhausted.
struct EvaluateLimits {
  int64_t most_ops = std::numeric_limits<int64_t>::max();
};

// The results of main(). A module of num_replicas > 1 runs on all its cores in lockstep: arguments
// that are not `uniform` have a leading axis of cores, and so has every result. A global module
// (num_partitions > 1) runs whole, as on one core.
//
// Results of bf16, f16 and f8 ops are computed in f32 and rounded after each op; f32 ops are
// computed in f64 and rounded. Folds run in row-major order in the type of the region.
//
// Arguments of another number, type or shape, and cores that diverge at a collective, are an
// InvalidArgument.
std::vector<Literal> evaluate(const ir::Module& module, std::span<const Literal> arguments,
                              const EvaluateLimits& limits = {});
std::vector<Literal> evaluate(const ir::Module& module, std::initializer_list<Literal> arguments);

// The same with each core's own arguments: [core][argument] to [core][result].
std::vector<std::vector<Literal>> evaluate_cores(const ir::Module& module,
                                                 const std::vector<std::vector<Literal>>& arguments,
                                                 const EvaluateLimits& limits = {});

// Array `i` of every core, stacked along a new leading axis.
Literal stacked(const std::vector<std::vector<Literal>>& by_core, size_t i);

}  // namespace interpreter
}  // namespace systolic::inline v0
