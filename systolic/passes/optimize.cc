#include "systolic/passes/optimize.h"

#include "systolic/ir/clone.h"
#include "systolic/ir/region.h"
#include "systolic/passes/eliminate_dead_code.h"
#include "systolic/passes/fold_constants.h"
#include "systolic/passes/share_loops.h"
#include "systolic/passes/share_subexpressions.h"
#include "systolic/passes/simplify_algebra.h"
#include "systolic/passes/simplify_movement.h"

namespace systolic::inline v0 {
namespace passes {
namespace {

std::optional<ir::Value> drop_barrier(Rewriter& rewriter, const ir::Op& op, const ir::Type&) {
  if (op.code != ir::OpCode::optimization_barrier) return std::nullopt;
  return rewriter.value(op.operands[0]);
}

// An array without elements is known. What computed it may then be left out: LAPACK, for one,
// refuses matrices without rows.
std::optional<ir::Value> without_elements(Rewriter& rewriter, const ir::Op& op,
                                          const ir::Type& result) {
  if (result.shape.elements() != 0 || op.code == ir::OpCode::constant || ir::has_side_effect(op)) {
    return std::nullopt;
  }
  return rewriter.builder().constant(Literal(result.dtype, result.shape));
}

}  // namespace

ir::Module optimize(const ir::Module& module, OptimizeOptions options) {
  std::vector<RewriteRule> rules{without_elements, simplify_algebra, simplify_movement,
                                 fold_constants};
  if (options.drop_barriers) rules.push_back(drop_barrier);
  ir::Module result = Rewriter::run(ir::inline_calls(module), rules);
  return eliminate_dead_code(share_loops(share_subexpressions(std::move(result))));
}

}  // namespace passes
}  // namespace systolic::inline v0
