#include "systolic/passes/optimize.h"

#include <algorithm>
#include <vector>

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

// An array without elements is known. What computed it may then be left out: LAPACK, for one,
// refuses matrices without rows.
std::optional<ir::Value> without_elements(Rewriter& rewriter, const ir::Op& op,
                                          const ir::Type& result) {
  if (result.shape.elements() != 0 || op.code == ir::OpCode::constant || ir::has_side_effect(op)) {
    return std::nullopt;
  }
  return rewriter.builder().constant(Literal(result.dtype, result.shape));
}

// Each block's values after barriers are those before them.
void drop_barriers_in(ir::Block& block, std::vector<ir::ValueId>& same_as) {
  const auto replace = [&](ir::ValueId& value) {
    const ir::ValueId before = same_as[static_cast<size_t>(value)];
    if (before != ir::no_value) value = before;
  };
  for (ir::Op& op : block.ops) {
    std::for_each(op.operands.begin(), op.operands.end(), replace);
    for (ir::Block& region : op.regions) drop_barriers_in(region, same_as);
    if (op.code != ir::OpCode::optimization_barrier) continue;
    for (size_t i = 0; i < op.results.size(); ++i) {
      same_as[static_cast<size_t>(op.results[i])] = op.operands[i];
    }
  }
  std::erase_if(block.ops,
                [](const ir::Op& op) { return op.code == ir::OpCode::optimization_barrier; });
  std::for_each(block.results.begin(), block.results.end(), replace);
}

}  // namespace

ir::Module optimize(const ir::Module& module) {
  const RewriteRule rules[] = {without_elements, simplify_algebra, simplify_movement,
                               fold_constants};
  ir::Module result = Rewriter::run(ir::inline_calls(module), rules);
  return eliminate_dead_code(share_loops(share_subexpressions(std::move(result))));
}

void drop_barriers(ir::Module& module) {
  bool has_any = false;
  for (ir::Function& function : module.functions) {
    ir::for_each_op(function.body, [&](const ir::Op& op) {
      has_any = has_any || op.code == ir::OpCode::optimization_barrier;
    });
  }
  if (!has_any) return;
  for (ir::Function& function : module.functions) {
    std::vector<ir::ValueId> same_as(function.types.size(), ir::no_value);
    drop_barriers_in(function.body, same_as);
  }
  module = eliminate_dead_code(std::move(module));  // a barrier has kept what nobody reads after it
}

}  // namespace passes
}  // namespace systolic::inline v0
