#include "backends/cpu/rewrite/unit_folds.h"

#include <algorithm>
#include <vector>

#include "backends/cpu/rewrite/fold_kind.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

class Reshaping {
 public:
  explicit Reshaping(const ir::Function& function)
      : function_(function), constants_(function.types.size()) {}

  void run(ir::Block& block) {
    for (ir::Op& op : block.ops) {
      if (op.code == ir::OpCode::constant) {
        constants_[static_cast<size_t>(op.results[0])] = &op.get<ir::ConstantAttributes>().value;
      }
      for (ir::Block& region : op.regions) run(region);
      if (op.code == ir::OpCode::reduce && changes_nothing(op)) reshape(op);
    }
  }

 private:
  bool changes_nothing(const ir::Op& op) const {
    if (op.operands.size() != 2 || !fold_kind(op.regions[0])) return false;
    const ir::Type& from = function_.type(op.operands[0]);
    const ir::Axes& axes = op.get<ir::AxesAttributes>().axes;
    const bool units = std::all_of(axes.begin(), axes.end(), [&](int64_t axis) {
      return from.shape[static_cast<int>(axis)] == 1;
    });
    const Literal* initial = constants_[static_cast<size_t>(op.operands[1])];
    if (!units || initial == nullptr || is_complex(from.dtype)) return false;
    return from.dtype == function_.type(op.results[0]).dtype && initial->dtype() == from.dtype &&
           *initial == ir::fold_identity(*ir::fold_op(op.regions[0]), from.dtype);
  }

  static void reshape(ir::Op& op) {
    op.code = ir::OpCode::reshape;
    op.operands.resize(1);
    op.attributes = {};
    op.regions.clear();
  }

  const ir::Function& function_;
  std::vector<const Literal*> constants_;
};

}  // namespace

void reshape_unit_folds(ir::Module& module) {
  for (ir::Function& function : module.functions) Reshaping(function).run(function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
