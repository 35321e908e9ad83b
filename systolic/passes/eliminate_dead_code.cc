#include "systolic/passes/eliminate_dead_code.h"

#include <algorithm>

#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace passes {
namespace {

class Eliminator {
 public:
  explicit Eliminator(size_t values) : live_(values, false) {}

  // Ops are visited last to first, so that every reader is known before what it reads.
  void visit(ir::Block& block) {
    mark(block.results);
    std::vector<bool> kept(block.ops.size(), false);
    for (size_t i = block.ops.size(); i-- > 0;) {
      ir::Op& op = block.ops[i];
      kept[i] =
          std::any_of(op.results.begin(), op.results.end(),
                      [&](ir::ValueId result) { return live_[static_cast<size_t>(result)]; }) ||
          ir::has_side_effect(op);
      if (!kept[i]) continue;
      mark(op.operands);
      for (ir::Block& region : op.regions) visit(region);
    }
    std::vector<ir::Op> ops;
    for (size_t i = 0; i < block.ops.size(); ++i) {
      if (kept[i]) ops.push_back(std::move(block.ops[i]));
    }
    block.ops = std::move(ops);
  }

 private:
  void mark(const std::vector<ir::ValueId>& values) {
    for (ir::ValueId value : values) live_[static_cast<size_t>(value)] = true;
  }

  std::vector<bool> live_;
};

}  // namespace

ir::Module eliminate_dead_code(ir::Module module) {
  for (ir::Function& function : module.functions) {
    Eliminator(function.types.size()).visit(function.body);
  }
  return module;
}

}  // namespace passes
}  // namespace systolic::inline v0
