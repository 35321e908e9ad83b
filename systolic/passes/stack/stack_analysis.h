// Which values of a per-core program differ between cores.
#pragma once

#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

class StackAnalysis {
 public:
  StackAnalysis(const ir::Function& function, int64_t cores,
                const std::vector<bool>& argument_is_stacked);

  // Whether the value differs between cores.
  bool stacked(ir::ValueId value) const { return stacked_[static_cast<size_t>(value)]; }
  // Whether cores may leave this while op after different numbers of iterations.
  bool diverges(const ir::Op& loop) const;
  // Whether a scalar region (of a fold, sort, scatter) reads something that differs.
  bool regions_differ(const ir::Op& op) const;

 private:
  void visit(const ir::Block& block, bool divergent);
  void visit(const ir::Op& op, bool divergent);
  void visit_branches(const ir::Op& op, bool divergent);
  void visit_while(const ir::Op& op, bool divergent);
  bool collective_differs(const ir::Op& op, ir::ValueId operand) const;
  void set(ir::ValueId value, bool is_stacked) {
    stacked_[static_cast<size_t>(value)] = is_stacked;
  }

  int64_t cores_;
  std::vector<bool> stacked_;
  std::vector<const ir::Op*> divergent_loops_;
};

}  // namespace passes
}  // namespace systolic::inline v0
