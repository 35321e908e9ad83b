// The gradient table: one row for each op.
//
// A row is one of
//   formula(code, f...)  the gradient of operand i is f_i(rule); f_i is called only where needed
//   whole(code, rule)    the rule hands out the gradients itself
//   flat(code)           the derivative is zero wherever it exists: nothing flows
//   none(code, why)      there is no gradient: an error that says why
// The rows of a family of ops are in one file, in the order of OpCode, which the compiler checks.
#pragma once

#include <array>
#include <span>

#include "systolic/autodiff/gradient_rule.h"
#include "systolic/ir/op_table.h"

namespace systolic::inline v0 {
namespace autodiff {

using Formula = ir::Value (*)(const GradientRule&);

struct GradientRow {
  ir::OpCode code;
  std::array<Formula, 3> formulas{};
  void (*rule)(GradientRule&) = nullptr;
  const char* why = nullptr;
  const char* hint = "";
  // Elementwise formulas hold for real numbers; those that hold for complex ones too say so.
  bool complex = false;

  constexpr GradientRow also_complex() const {
    GradientRow row = *this;
    row.complex = true;
    return row;
  }
};

// clang-format off
constexpr GradientRow formula(ir::OpCode code, Formula f0, Formula f1 = nullptr, Formula f2 = nullptr) {
  return {code, {f0, f1, f2}};
}
constexpr GradientRow whole(ir::OpCode code, void (*rule)(GradientRule&)) { return {code, {}, rule}; }
constexpr GradientRow flat(ir::OpCode code) { return {code}; }
constexpr GradientRow none(ir::OpCode code, const char* why, const char* hint = "") {
  return {code, {}, nullptr, why, hint};
}
// clang-format on

// The ops from `first` to `last`, in the order of OpCode.
struct OpRange {
  ir::OpCode first, last;
};
inline constexpr OpRange elementwise_ops{ir::OpCode::abs, ir::OpCode::reduce_precision};
inline constexpr OpRange movement_ops{ir::OpCode::constant, ir::OpCode::transpose};
inline constexpr OpRange contraction_ops{ir::OpCode::convolution, ir::OpCode::fft};
inline constexpr OpRange reduction_ops{ir::OpCode::reduce, ir::OpCode::select_and_scatter};
inline constexpr OpRange control_ops{ir::OpCode::rng_bit_generator, ir::OpCode::while_};
inline constexpr OpRange collective_ops{ir::OpCode::all_gather, ir::OpCode::reduce_scatter};

// Whether there is one row for each op of the range, in order.
constexpr bool covers(std::span<const GradientRow> rows, OpRange range) {
  return ir::rows_stand_at_their_code(rows, range.first, range.last);
}

std::span<const GradientRow> elementwise_rows();
std::span<const GradientRow> movement_rows();
std::span<const GradientRow> contraction_rows();
std::span<const GradientRow> reduction_rows();
std::span<const GradientRow> control_rows();
std::span<const GradientRow> collective_rows();

const GradientRow& gradient_row(ir::OpCode code);

// Differentiates the current op of `rule` by its row.
void apply(GradientRule& rule);

}  // namespace autodiff
}  // namespace systolic::inline v0
