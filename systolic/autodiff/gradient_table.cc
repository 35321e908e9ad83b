#include "systolic/autodiff/gradient_table.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace autodiff {

using ir::OpCode;
using ir::OpFamily;

namespace {

constexpr std::array ranges{elementwise_ops, movement_ops, contraction_ops,
                            reduction_ops,   control_ops,  collective_ops};

constexpr bool ranges_hold_every_op() {
  size_t next = 0;
  for (const OpRange& range : ranges) {
    if (static_cast<size_t>(range.first) != next) return false;
    next = static_cast<size_t>(range.last) + 1;
  }
  return next == ir::op_count;
}
static_assert(ranges_hold_every_op(), "an op has no place in the gradient table");

std::array<const GradientRow*, ir::op_count> gather_rows() {
  std::array<const GradientRow*, ir::op_count> table{};
  for (std::span<const GradientRow> rows : {elementwise_rows(), movement_rows(), contraction_rows(),
                                            reduction_rows(), control_rows(), collective_rows()}) {
    for (const GradientRow& row : rows) table[static_cast<size_t>(row.code)] = &row;
  }
  return table;
}

// Moving elements and choosing between programs is the same for complex numbers; arithmetic is not.
bool computes(OpCode code) {
  const OpFamily family = ir::info(code).family;
  return family != OpFamily::movement && family != OpFamily::control &&
         family != OpFamily::collective;
}

bool touches_complex(const GradientRule& rule) {
  for (size_t i = 0; i < rule.operands(); ++i) {
    if (is_complex(rule.x(i).dtype())) return true;
  }
  return is_complex(rule.y().dtype());
}

}  // namespace

const GradientRow& gradient_row(OpCode code) {
  static const std::array<const GradientRow*, ir::op_count> table = gather_rows();
  return *table[static_cast<size_t>(code)];
}

void apply(GradientRule& rule) {
  const GradientRow& row = gradient_row(rule.code());
  if (row.why != nullptr) rule.none(row.why, row.hint);
  if (!row.complex && computes(row.code) && touches_complex(rule)) {
    rule.none("its rule holds for real numbers only", "compute with the real and imaginary parts");
  }
  if (row.rule != nullptr) return row.rule(rule);
  for (size_t i = 0; i < std::min(rule.operands(), row.formulas.size()); ++i) {
    if (row.formulas[i] != nullptr && rule.needs(i)) rule.grad(i, row.formulas[i](rule));
  }
}

}  // namespace autodiff
}  // namespace systolic::inline v0
