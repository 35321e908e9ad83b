#include <algorithm>

#include "backends/cpu/lower/families.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_view(Planner& planner, const ir::Op& op) { planner.view(op.results[0]); }

// One core runs the program, or one program all cores: the id is 0 where it was not rewritten.
void lower_core_id(Planner& planner, const ir::Op& op) {
  planner.define(op.results[0], dense_view(planner.constant(Literal::scalar(uint32_t{0})),
                                           planner.type(op.results[0])));
}

// Same bytes under another type.
void lower_bitcast(Planner& planner, const ir::Op& op) {
  planner.define(op.results[0],
                 dense_view(planner.dense(op.operands[0]), planner.type(op.results[0])));
}

}  // namespace cpu
}  // namespace systolic::inline v0
