// LU with partial pivoting, as the custom call LuDecomposition has it (G. H. Golub and C. F. Van
// Loan, Matrix Computations, section 3.4; the form is LAPACK's getrf).
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/import/handlers.h"
#include "systolic/stablehlo/import/matrices.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using namespace matrices;

ir::Value is(ir::Value index, ir::Value wanted, ir::Direction direction) {
  return ir::compare(index, wanted, direction);
}
// The scalar j, of the shape of `like`.
ir::Value everywhere(ir::Value j, ir::Value like) {
  return ir::broadcast_in_dim(j, like.shape(), {});
}

// The row at or below j whose element of column j is the largest, the first where several are:
// i64[batch, 1, 1].
ir::Value pivot_row(ir::Value a, ir::Value j) {
  const ir::Value x = part(a, formula::like(j, 0), j, a.shape()[1], 1), rows = rows_of(x);
  const ir::Value open = is(rows, everywhere(j, rows), ir::Direction::ge);
  const ir::Value size = ir::select(open, formula::abs(x), formula::like(x, -1));
  const ir::Value largest =
      spread(ir::reshape(ir::reduce_max(size, {1}), {a.shape()[0], 1, 1}), size.shape());
  const ir::Value last = formula::like(rows, static_cast<double>(a.shape()[1] - 1));
  const ir::Value found = ir::select(is(size, largest, ir::Direction::eq), rows, last);
  return ir::reshape(ir::reduce(found, ir::OpCode::minimum, {1}), {a.shape()[0], 1, 1});
}

// Rows j and p of each matrix change places.
ir::Value swapped(ir::Value x, ir::Value j, ir::Value p) {
  const ir::Value rows = rows_of(x), here = everywhere(j, rows), there = spread(p, rows.shape());
  const ir::Value at_there = is(rows, there, ir::Direction::eq);
  const ir::Value row_j = part(x, j, formula::like(j, 0), 1, x.shape()[2]);
  const ir::Value row_p =
      ir::reshape(ir::reduce(ir::select(at_there, x, formula::like(x, 0)), ir::OpCode::add, {1}),
                  row_j.shape());
  return ir::select(is(rows, here, ir::Direction::eq), spread(row_p, x.shape()),
                    ir::select(at_there, spread(row_j, x.shape()), x));
}

// What is below row j, made 0 in column j, where the multipliers are kept instead.
ir::Value eliminated(ir::Value a, ir::Value j) {
  const ir::Value zero = formula::like(j, 0);
  const ir::Value x = part(a, zero, j, a.shape()[1], 1), pivot = part(a, j, j, 1, 1);
  const ir::Value rows = rows_of(x);
  const ir::Value below = is(rows, everywhere(j, rows), ir::Direction::gt);
  const ir::Value divided =
      x / spread(ir::select(formula::equal(pivot, 0), formula::like(pivot, 1), pivot), x.shape());
  const ir::Value multipliers = ir::select(below, divided, formula::like(x, 0));
  const ir::Value row = part(a, j, zero, 1, a.shape()[2]), columns = columns_of(row);
  const ir::Value after = is(columns, everywhere(j, columns), ir::Direction::gt);
  const ir::Value rest = ir::select(after, row, formula::like(row, 0));
  return with_part(a - product(multipliers, rest), zero, j, ir::select(below, divided, x));
}

ir::Value as_i32(ir::Value x) { return ir::convert(x, DType::i32); }

}  // namespace

// [..., m, n] to L below the diagonal with U on it and above, the row that each of min(m, n) steps
// took (i32), and the rows of the operand in their new order (i32[..., m]).
void import_lu(OpImport& op) {
  const ir::Value given = op.operand(0);
  if (given.rank() < 2 || !is_float(given.dtype()))
    op.fail("its operand", to_string(given.type()), "matrices of real numbers");
  const ir::Value a = flattened(given);
  const int64_t batch = a.shape()[0], m = a.shape()[1], count = std::min(m, a.shape()[2]);
  const ir::Value pivots = op.builder().filled(DType::i32, {batch, 1, count}, 0);
  const ir::Value order = op.builder().iota({DType::i32, {batch, m, 1}}, 1);
  const auto done = loop(count, {a, pivots, order}, [](ir::Value j, std::span<const ir::Value> s) {
    const ir::Value p = pivot_row(s[0], j);
    return std::vector<ir::Value>{eliminated(swapped(s[0], j, p), j),
                                  with_part(s[1], formula::like(j, 0), j, as_i32(p)),
                                  swapped(s[2], j, p)};
  });
  const Shape leading = given.shape().slice(0, given.rank() - 2);
  op.divide({ir::reshape(done[0], given.shape()),
             ir::reshape(done[1], leading.with_inserted(leading.rank(), count)),
             ir::reshape(done[2], leading.with_inserted(leading.rank(), m))});
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
