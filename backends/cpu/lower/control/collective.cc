// Collectives of a program that runs once: passes::stack_cores has rewritten those of programs for
// several cores, and what is left stands between one core and itself.
#include "backends/cpu/lower/families.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_collective(Planner& planner, const ir::Op& op) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    const ir::ValueId operand = op.operands[i];
    const ir::Type& type = planner.type(op.results[i]);
    if (!(planner.type(operand) == type)) {
      raise<Internal>(
          {.what = str(ir::info(op.code).name, " from ", ir::to_string(planner.type(operand)),
                       " to ", ir::to_string(type), " was not stacked"),
           .location = op.location});
    }
    planner.define(op.results[i], View(planner.view(operand)));
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
