// cholesky and triangular_solve, row by row in a loop.
#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/import/handlers.h"
#include "systolic/stablehlo/import/matrices.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using matrices::flattened;
using matrices::product;
using matrices::transposed;

// Where row >= column (lower) or row <= column of [batch, n, n].
ir::Value triangle(ir::Value x, bool lower) {
  ir::Builder& b = x.builder();
  const ir::Type index{DType::i64, x.shape()};
  return ir::compare(b.iota(index, 1), b.iota(index, 2),
                     lower ? ir::Direction::ge : ir::Direction::le);
}

ir::Value only_triangle(ir::Value x, bool lower) {
  return ir::select(triangle(x, lower), x, formula::like(x, 0));
}

// Row i, [batch, 1, m], and putting it back.
ir::Value row(ir::Value x, ir::Value i) {
  const ir::Value zero = formula::like(i, 0);
  const ir::Value starts[] = {zero, i, zero};
  return ir::dynamic_slice(x, starts, {x.shape()[0], 1, x.shape()[2]});
}
ir::Value with_row(ir::Value x, ir::Value i, ir::Value values) {
  const ir::Value zero = formula::like(i, 0);
  const ir::Value starts[] = {zero, i, zero};
  return ir::dynamic_update_slice(x, values, starts);
}

ir::Value element(ir::Value values, ir::Value i) {  // [batch, 1, n] -> [batch, 1, 1]
  const ir::Value zero = formula::like(i, 0);
  const ir::Value starts[] = {zero, zero, i};
  return ir::dynamic_slice(values, starts, {values.shape()[0], 1, 1});
}

ir::Value spread(ir::Value one, ir::Value like) {  // [batch, 1, 1] over [batch, 1, m]
  return ir::broadcast_in_dim(one, like.shape(), {0, 1, 2});
}

// body(i, state) for i = 0 .. n - 1.
template <class Body>
ir::Value loop(int64_t n, ir::Value state, Body&& body) {
  ir::Builder& b = state.builder();
  const ir::Value initial[] = {b.constant(Literal::scalar(int64_t{0})), state};
  return ir::while_loop(
      initial,
      [&](std::span<const ir::Value> s) {
        return ir::compare(s[0], static_cast<double>(n), ir::Direction::lt);
      },
      [&](std::span<const ir::Value> s) {
        return std::vector<ir::Value>{s[0] + 1.0, body(s[0], s[1])};
      })[1];
}

// X with A X = B, of [batch, n, n] and [batch, n, m]; A is a triangle.
ir::Value solve(ir::Value a, ir::Value b, bool lower, bool unit_diagonal) {
  const int64_t n = a.shape()[1];
  return loop(n, formula::like(b, 0), [&](ir::Value step, ir::Value x) {
    const ir::Value i = lower ? step : static_cast<double>(n - 1) - step;
    const ir::Value coefficients = row(a, i);
    ir::Value rest = row(b, i) - product(coefficients, x);
    if (!unit_diagonal) rest = rest / spread(element(coefficients, i), rest);
    return with_row(x, i, rest);
  });
}

void check_square(const OpImport& op, ir::Value a) {
  if (a.rank() >= 2 && a.shape()[-1] == a.shape()[-2]) return;
  op.fail("its operand", to_string(a.type()), "square matrices");
}

}  // namespace

// Row i of L from the rows above: L[i, j] = (A[i, j] - L[i, :j] . conj(L[j, :j])) / L[j, j] solves
// the triangle that is known, and L[i, i] = sqrt(A[i, i] - |L[i, :i]|^2).
void import_cholesky(OpImport& op) {
  const ir::Value given = op.operand(0);
  check_square(op, given);
  const bool lower = op.boolean("lower", false);
  ir::Value a = flattened(given);
  if (!lower) a = conj(transposed(a));
  a = only_triangle(a, true);
  const int64_t n = a.shape()[1];
  // Column by column: what lies below the diagonal is (A - L L^H) divided by its root.
  ir::Value factor = loop(n, formula::like(a, 0), [&](ir::Value j, ir::Value columns) {
    // `columns` holds L transposed: row j is column j of L.
    const ir::Value so_far = transposed(columns);
    const ir::Value mine = conj(row(so_far, j));
    const ir::Value column = row(transposed(a), j) - transposed(product(so_far, transposed(mine)));
    const ir::Value root = ir::unary(ir::OpCode::sqrt, element(column, j));
    const ir::Value scaled = column / spread(root, column);
    const ir::Value index = op.builder().iota({DType::i64, column.shape()}, 2);
    const ir::Value below =
        ir::compare(index, ir::broadcast_in_dim(j, column.shape(), {}), ir::Direction::ge);
    return with_row(columns, j, ir::select(below, scaled, formula::like(scaled, 0)));
  });
  factor = lower ? transposed(factor) : conj(factor);
  op.set(ir::reshape(factor, given.shape()));
}

void import_triangular_solve(OpImport& op) {
  const ir::Value matrix = op.operand(0), right = op.operand(1);
  check_square(op, matrix);
  const bool left_side = op.boolean("left_side", true);
  bool lower = op.boolean("lower", false);
  const bool unit_diagonal = op.boolean("unit_diagonal", false);
  const std::string_view transpose = op.word("transpose_a", "NO_TRANSPOSE");
  ir::Value a = flattened(matrix), b = flattened(right);
  a = only_triangle(a, lower);
  if (transpose == "ADJOINT") a = conj(a);
  const bool turned = transpose == "TRANSPOSE" || transpose == "ADJOINT";
  // X A = B is A^T X^T = B^T.
  if (turned == left_side) {
    a = transposed(a);
    lower = !lower;
  }
  if (!left_side) b = transposed(b);
  if (a.shape()[0] != b.shape()[0] || a.shape()[1] != b.shape()[1]) {
    op.fail("its operands", str(to_string(matrix.type()), " and ", to_string(right.type())),
            "matrices that fit");
  }
  ir::Value x = solve(a, b, lower, unit_diagonal);
  if (!left_side) x = transposed(x);
  op.set(ir::reshape(x, right.shape()));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
