// From a program as it was traced to the one that is planned: the passes of a table, in its order.
#pragma once

#include <vector>

#include "backends/cpu/dump.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// One plain program. If it came in the per-core form, its cores are stacked.
struct SimplifiedProgram {
  ir::Module module;
  std::vector<bool> result_is_stacked;  // one for each result
};

// `lower` is how the planner will group ops. The dump gets the program as it came, what each pass
// made of it that changed something, and what is planned.
SimplifiedProgram simplify(const ir::Module& module, LowerBlock lower, Dump& dump);

}  // namespace cpu
}  // namespace systolic::inline v0
