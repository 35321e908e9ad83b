// QR by Householder reflections, as the custom calls Qr and
// ProductOfElementaryHouseholderReflectors have it (G. H. Golub and C. F. Van Loan, Matrix
// Computations, section 5.2; the form is LAPACK's geqrf and orgqr): H_j = I - tau_j v_j v_j^T with
// v_j = (0, ..., 0, 1, below).
#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/import/handlers.h"
#include "systolic/stablehlo/import/matrices.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

void check(const OpImport& op, ir::Value a) {
  if (a.rank() < 2 || !is_float(a.dtype())) {
    op.fail("its operand", to_string(a.type()), "matrices of real numbers");
  }
}

// The reflection that makes column j of a, [batch, m, n], zero below its diagonal.
struct Reflection {
  ir::Value v;       // [batch, m, 1]
  ir::Value tau;     // [batch, 1, 1]
  ir::Value column;  // what to keep of it: R above, beta at j, v below
};

Reflection reflect(ir::Value a, ir::Value j) {
  using namespace matrices;
  const ir::Value zero = formula::like(j, 0);
  const ir::Value x = part(a, zero, j, a.shape()[1], 1), alpha = part(a, j, j, 1, 1);
  const ir::Value index = rows_of(x), at = ir::broadcast_in_dim(j, x.shape(), {});
  const ir::Value below = ir::compare(index, at, ir::Direction::gt);
  const ir::Value here = ir::compare(index, at, ir::Direction::eq);
  const ir::Value rest = ir::select(below, x, formula::like(x, 0));
  const ir::Value norm = product(transposed(rest), rest);  // squared
  const ir::Value done = formula::equal(norm, 0);
  const ir::Value length = formula::sqrt(alpha * alpha + norm);
  const ir::Value turned = ir::select(formula::less(alpha, 0), length, -length);
  const ir::Value beta = ir::select(done, alpha, turned);
  const ir::Value tau = ir::select(done, formula::like(beta, 0), (turned - alpha) / turned);
  const ir::Value scale = ir::select(done, formula::like(beta, 1), alpha - turned);
  const ir::Value v = ir::select(here, formula::like(x, 1), rest / spread(scale, x.shape()));
  return {v, tau, ir::select(here, spread(beta, x.shape()), ir::select(below, v, x))};
}

// (I - tau v v^T) a
ir::Value reflected(ir::Value a, ir::Value v, ir::Value tau) {
  using namespace matrices;
  return a - spread(tau, a.shape()) * product(v, product(transposed(v), a));
}

}  // namespace

// [..., m, n] to R above the diagonal with the reflections below it, and tau, [..., min(m, n)].
void import_qr(OpImport& op) {
  using namespace matrices;
  const ir::Value given = op.operand(0);
  check(op, given);
  const ir::Value a = flattened(given);
  const int64_t count = std::min(a.shape()[1], a.shape()[2]);
  const ir::Value taus = op.builder().filled(a.dtype(), {a.shape()[0], 1, count}, 0);
  const auto done = loop(count, {a, taus}, [](ir::Value j, std::span<const ir::Value> s) {
    const Reflection reflection = reflect(s[0], j);
    const ir::Value after =
        ir::compare(columns_of(s[0]), ir::broadcast_in_dim(j, s[0].shape(), {}), ir::Direction::gt);
    const ir::Value next = ir::select(after, reflected(s[0], reflection.v, reflection.tau), s[0]);
    const ir::Value zero = formula::like(j, 0);
    return std::vector<ir::Value>{with_part(next, zero, j, reflection.column),
                                  with_part(s[1], zero, j, reflection.tau)};
  });
  op.divide({ir::reshape(done[0], given.shape()),
             ir::reshape(
                 done[1],
                 given.shape().slice(0, given.rank() - 2).with_inserted(given.rank() - 2, count))});
}

// The first columns of H_1 H_2 ... of reflections as import_qr leaves them.
void import_householder_product(OpImport& op) {
  using namespace matrices;
  const ir::Value given = op.operand(0), taus_given = op.operand(1);
  check(op, given);
  const ir::Value a = flattened(given);
  const int64_t m = a.shape()[1], count = taus_given.rank() == 0 ? 0 : taus_given.shape()[-1];
  const bool fits = taus_given.rank() + 1 == given.rank() && count <= std::min(m, a.shape()[2]) &&
                    taus_given.shape().elements() == a.shape()[0] * count &&
                    taus_given.dtype() == given.dtype();
  if (!fits) op.fail("its numbers tau", to_string(taus_given.type()), "one for each reflection");
  const ir::Value taus = ir::reshape(taus_given, {a.shape()[0], 1, count});
  const ir::Value identity = ir::select(on_diagonal(a), formula::like(a, 1), formula::like(a, 0));
  const auto done = loop(count, {identity}, [&](ir::Value step, std::span<const ir::Value> s) {
    const ir::Value j = static_cast<double>(count - 1) - step, zero = formula::like(j, 0);
    const ir::Value x = part(a, zero, j, m, 1);
    const ir::Value index = rows_of(x), at = ir::broadcast_in_dim(j, x.shape(), {});
    const ir::Value rest =
        ir::select(ir::compare(index, at, ir::Direction::gt), x, formula::like(x, 0));
    const ir::Value v =
        ir::select(ir::compare(index, at, ir::Direction::eq), formula::like(x, 1), rest);
    return std::vector<ir::Value>{reflected(s[0], v, part(taus, zero, j, 1, 1))};
  });
  op.set(ir::reshape(done[0], given.shape()));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
