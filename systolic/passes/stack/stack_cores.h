// From a program for each of N cores to one plain program that computes all N together.
//
// Every value of the result is either *uniform*, the same on all cores and computed once, or
// *stacked*, with a leading axis of N cores. What depends only on uniform arguments, constants and
// collectives over all cores is uniform. Collectives become reductions, transposes and slices of
// the core axis.
//
// An all_reduce(add) of a contraction over each core's batch (a weight gradient) becomes one
// contraction over cores and batch, so that no per-core gradient exists. Rounding apart, results
// are those of the cores run one by one.
//
//   StackedModule step = stack_cores(per_core_step);   // w uniform, x stacked
#pragma once

#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

struct StackedModule {
  // num_replicas is 1; stacked arguments and results have a leading axis of the cores.
  ir::Module module;
  std::vector<bool> result_is_stacked;
};

// Arguments marked `uniform` are uniform, the others stacked. Cores that may reach a collective
// over all of them under different conditions are an InvalidArgument that names it. One over groups
// is computed where all cores of a group reach it; a run in which a group is split is an
// InvalidArgument. A donated argument whose result has a different placement is no longer donated;
// a stacked one forces its result to be stacked.
StackedModule stack_cores(const ir::Module& module);
StackedModule stack_cores(const ir::Module& module, const std::vector<bool>& argument_is_stacked);

}  // namespace passes
}  // namespace systolic::inline v0
