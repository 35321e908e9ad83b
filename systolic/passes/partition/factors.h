// Which axes of an op's arrays belong together, so that a cut of one is a cut of the others: the
// sharding rule of OpenXLA Shardy (docs/propagation.md). In a product of [i, k] with [k, j] there
// are three factors: i is axis 0 of the first operand and of the result; k is folded.
#pragma once

#include <vector>

#include "systolic/ir/module.h"
#include "systolic/passes/partition/partition.h"

namespace systolic::inline v0 {
namespace passes {

struct Factor {
  // The axis of each array, no_cut where it has none.
  std::vector<int> operands, results;
  // The results have none of it: parts are added up, or whatever the op folds by.
  bool folds = false;
};

// The factors by which an op can be computed piece by piece. An op without any stops cuts. Ops with
// control flow have none here.
std::vector<Factor> factors_of(const ir::Function& function, const ir::Op& op);

// Collects the factors of one op.
class FactorList {
 public:
  FactorList(const ir::Function& function, const ir::Op& op) : function_(function), op_(op) {}

  const ir::Op& op() const { return op_; }
  const Shape& operand(size_t i) const { return function_.type(op_.operands[i]).shape; }
  const Shape& result(size_t i = 0) const { return function_.type(op_.results[i]).shape; }
  size_t operands() const { return op_.operands.size(); }

  // The axis of each operand, then that of all results; operands that are left out have none.
  void pass(std::vector<int> operands, int result);
  // The axis of each operand; the result has none.
  void fold(std::vector<int> operands);
  // The axis has this number in every array of as many axes as the result.
  void pass_in_all(int axis);

  std::vector<Factor> take() { return std::move(factors_); }

 private:
  const ir::Function& function_;
  const ir::Op& op_;
  std::vector<Factor> factors_;
};

void dot_factors(FactorList& factors);
void convolution_factors(FactorList& factors);
void gather_factors(FactorList& factors);
void scatter_factors(FactorList& factors);

}  // namespace passes
}  // namespace systolic::inline v0
