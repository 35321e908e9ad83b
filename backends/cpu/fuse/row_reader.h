// Reads what a block does with the rows of arrays, those along the last axis: for patterns of
// kernels that work on rows.
#pragma once

#include <optional>

#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

class RowReader {
 public:
  RowReader(const Planner& planner, const ir::Block& block) : planner_(planner), block_(block) {}

  // The op, if it stands in the block itself and not around it; else null.
  const ir::Op* in_block(const ir::Op* op) const;
  // The op of the block that makes the value, if it has this code; else null.
  const ir::Op* made_by(ir::ValueId value, ir::OpCode code) const;
  bool is_read_once(const ir::Op& op) const { return planner_.uses(op.results[0]) == 1; }
  // As made_by(), where nothing else reads the value; else null.
  const ir::Op* read_once(ir::ValueId value, ir::OpCode code) const;
  // The other operand of an op of two, one of which is `value`.
  static ir::ValueId other_operand(const ir::Op& op, ir::ValueId value) {
    return op.operands[op.operands[0] == value ? 1 : 0];
  }
  // Whether the value is read once, and so are the views that lead to it and what they are of.
  bool is_read_alone(ir::ValueId value) const;
  // The op that makes the value, or what it is a view of; null where none does.
  const ir::Op* maker(ir::ValueId value) const;
  // The first op after this one to read its result, other than in a region of its own.
  const ir::Op* first_reader(const ir::Op& op) const;
  // As first_reader(), among ops of this code.
  const ir::Op* first_reader_by(const ir::Op& op, ir::OpCode code) const;

  // Whether the op folds each row to a number, beginning with `init`.
  bool folds_rows(const ir::Op& op, kernels::ReduceKind kind, double init) const;
  // Whether the op sums over all axes but the last, from 0.
  bool sums_columns(const ir::Op& op) const;

  struct WithNumber {
    ir::ValueId other = ir::no_value;
    float number = 0;
  };
  // The operands of an op that commutes, one of which is the same number everywhere.
  std::optional<WithNumber> with_number(const ir::Op& op) const;
  struct ScaledSum {
    const ir::Op* sum = nullptr;
    float factor = 0;
  };
  // multiply(sums of rows, number), where nothing but it reads the sums.
  std::optional<ScaledSum> scaled_sum(const ir::Op& multiply) const;

  // Whether `value` repeats, along the rows of an array of this shape, a number for each row; the
  // op of the block that makes these numbers, or null. They may have any shape: the first number
  // in row-major order belongs to the first row.
  const ir::Op* repeated_in_rows(ir::ValueId value, const Shape& shape) const;
  // The numbers, one for each column, that `value` repeats for each row of such an array;
  // ir::no_value if it does not.
  ir::ValueId repeated_for_rows(ir::ValueId value, const Shape& shape) const;

  const Planner& planner() const { return planner_; }
  const ir::Block& block() const { return block_; }

 private:
  const Planner& planner_;
  const ir::Block& block_;
};

bool reads(const ir::Op& op, ir::ValueId value);

}  // namespace cpu
}  // namespace systolic::inline v0
