// Eigenvalues and eigenvectors of symmetric matrices by Jacobi's method in the parallel order of
// R. P. Brent and F. T. Luk, "The solution of singular-value and symmetric eigenvalue problems on
// multiprocessor arrays", SIAM J. Sci. Stat. Comput. 6(1), 1985: the rows are two halves whose
// members play each other, all pairs of a round are rotated at once, and between rounds the members
// move on as in a round-robin tournament. After n - 1 rounds, a sweep, all have met and all are at
// their places again.
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/import/handlers.h"
#include "systolic/stablehlo/import/matrices.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using namespace matrices;

constexpr double most_sweeps = 60;  // ten are the rule

// Rows [begin, end) of each matrix.
ir::Value rows(ir::Value x, int64_t begin, int64_t end) {
  return ir::slice(x, {0, begin, 0}, {x.shape()[0], end, x.shape()[2]});
}
ir::Value columns(ir::Value x, int64_t begin, int64_t end) {
  return ir::slice(x, {0, 0, begin}, {x.shape()[0], x.shape()[1], end});
}

// The symmetric matrix whose one triangle is given.
ir::Value symmetric(ir::Value a, bool lower) {
  const ir::Value mine =
      ir::compare(rows_of(a), columns_of(a), lower ? ir::Direction::ge : ir::Direction::le);
  return ir::select(mine, a, transposed(a));
}

// The diagonals of [batch, n, n], as columns [batch, n, 1].
ir::Value diagonal(ir::Value a) {
  const ir::Value only = ir::select(on_diagonal(a), a, formula::like(a, 0));
  return ir::reshape(ir::reduce_sum(only, {2}), {a.shape()[0], a.shape()[1], 1});
}

// Rows i and i + half become c row - s other and s row + c other; c and s are [batch, half, 1].
ir::Value rotated(ir::Value x, ir::Value c, ir::Value s) {
  const int64_t half = x.shape()[1] / 2;
  const ir::Value top = rows(x, 0, half), bottom = rows(x, half, 2 * half);
  const ir::Value cosine = spread(c, top.shape()), sine = spread(s, top.shape());
  const ir::Value parts[] = {cosine * top - sine * bottom, sine * top + cosine * bottom};
  return ir::concatenate(parts, 1);
}

// One place on: the first row stays, all others move around through both halves.
ir::Value moved(ir::Value x) {
  const int64_t n = x.shape()[1], half = n / 2;
  if (half < 2) return x;
  const ir::Value parts[] = {rows(x, 0, 1), rows(x, half, half + 1), rows(x, 1, half - 1),
                             rows(x, half + 1, n), rows(x, half - 1, half)};
  return ir::concatenate(parts, 1);
}

// All pairs of one round; `state` is the matrix and the rows of eigenvectors.
std::vector<ir::Value> play(std::span<const ir::Value> state) {
  const ir::Value a = state[0];
  const int64_t n = a.shape()[1], half = n / 2;
  const ir::Value upper = rows(a, 0, half);
  const ir::Value p = diagonal(columns(upper, 0, half)), x = diagonal(columns(upper, half, n));
  const ir::Value q = diagonal(columns(rows(a, half, n), half, n));
  // The smaller angle that makes x zero (Golub and Van Loan, section 8.5.2).
  const ir::Value theta = (q - p) / (2.0 * x);
  const ir::Value length = formula::abs(theta) + formula::sqrt(theta * theta + 1.0);
  const ir::Value t = ir::select(formula::less(theta, 0), -1.0 / length, 1.0 / length);
  const ir::Value tangent = ir::select(formula::equal(x, 0), formula::like(t, 0), t);
  const ir::Value c = ir::unary(ir::OpCode::rsqrt, tangent * tangent + 1.0), s = tangent * c;
  const ir::Value turned = transposed(rotated(transposed(rotated(a, c, s)), c, s));
  return {transposed(moved(transposed(moved(turned)))), moved(rotated(state[1], c, s))};
}

ir::Value squares(ir::Value x) { return ir::reduce_sum(x * x, {0, 1, 2}); }

// Sweeps until what is off the diagonals is small.
std::vector<ir::Value> sweep(ir::Value a, ir::Value vectors) {
  const int64_t n = a.shape()[1];
  const double tolerance = a.dtype() == DType::f64 ? 1e-12 : 1e-6;
  const ir::Value limit = squares(a) * (tolerance * tolerance);
  const ir::Value initial[] = {a.builder().constant(Literal::scalar(int64_t{0})), a, vectors};
  std::vector<ir::Value> last = ir::while_loop(
      initial,
      [&](std::span<const ir::Value> s) {
        const ir::Value off = ir::select(on_diagonal(s[1]), formula::like(s[1], 0), s[1]);
        return ir::binary(ir::OpCode::and_, ir::compare(s[0], most_sweeps, ir::Direction::lt),
                          formula::less(limit, squares(off)));
      },
      [&](std::span<const ir::Value> s) {
        std::vector<ir::Value> next =
            loop(n - 1, {s[1], s[2]},
                 [](ir::Value, std::span<const ir::Value> state) { return play(state); });
        next.insert(next.begin(), s[0] + 1.0);
        return next;
      });
  last.erase(last.begin());
  return last;
}

// Rows of eigenvectors in the order of their values, [batch, n, 1].
std::vector<ir::Value> sorted(ir::Value values, ir::Value vectors) {
  const ir::Value both[] = {spread(values, vectors.shape()), vectors};
  std::vector<ir::Value> result = ir::sort(
      both, {.dimension = 1, .is_stable = true},
      [](std::span<const ir::Value> s) { return ir::compare(s[0], s[1], ir::Direction::lt); });
  result[0] = columns(result[0], 0, 1);
  return result;
}

}  // namespace

// The custom call Eigh: [..., n, n] to eigenvectors, in columns, and eigenvalues, [..., n]. Its
// configuration is "lower,sort,most sweeps,tolerance"; the last two are ours to choose.
void import_eigh(OpImport& op) {
  const ir::Value given = op.operand(0);
  const bool square = given.rank() >= 2 && given.shape()[-1] == given.shape()[-2];
  if (!square || !is_float(given.dtype())) {
    op.fail("its operand", to_string(given.type()), "symmetric matrices of real numbers");
  }
  const std::string_view settings = op.word("backend_config", "1,1");
  const bool lower = settings.substr(0, 1) != "0", sort = settings.substr(0, 3).substr(1) != ",0";
  ir::Value a = symmetric(flattened(given), lower);
  const int64_t batch = a.shape()[0], n = a.shape()[1], padded = n + n % 2;
  // An odd one out plays with a row of zeros, which no rotation mixes with others.
  if (padded > n) {
    const ir::Value zero = op.builder().filled(a.dtype(), {}, 0);
    a = ir::pad(a, zero, {0, 0, 0}, {0, 1, 1});
  }
  ir::Value vectors = ir::select(on_diagonal(a), formula::like(a, 1), formula::like(a, 0));
  if (n > 1) {
    const std::vector<ir::Value> done = sweep(a, vectors);
    a = done[0];
    vectors = done[1];
  }
  ir::Value values = rows(diagonal(a), 0, n);
  vectors = columns(rows(vectors, 0, n), 0, n);
  if (sort && n > 1) {
    const std::vector<ir::Value> in_order = sorted(values, vectors);
    values = in_order[0];
    vectors = in_order[1];
  }
  op.divide(
      {ir::reshape(transposed(vectors), given.shape()),
       ir::reshape(ir::reshape(values, {batch, n}), given.shape().slice(0, given.rank() - 1))});
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
