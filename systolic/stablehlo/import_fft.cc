// fft, as sums over the prime factors of its length (J. W. Cooley and J. W. Tukey, Math. Comp. 19,
// 1965). With N = p M, n = M a + b and k = c + p d:
//   X[c + p d] = sum over b of W_M^(b d) W_N^(b c) sum over a of W_p^(a c) x[M a + b]
// so that a transform of length N is one small matrix product, one multiplication by factors, and
// transforms of length M.
#include <cmath>
#include <complex>
#include <numbers>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo_formulas.h"
#include "systolic/stablehlo/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// What the tables of roots are bounded by.
constexpr int64_t largest_prime = 2048, longest = 1 << 20;

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

// The rows and columns of exp(-2 pi i row column / n).
ir::Value roots(ir::Value like, int64_t rows, int64_t columns, int64_t n) {
  std::vector<std::complex<double>> values;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double turn = static_cast<double>(row * column % n) / static_cast<double>(n);
      values.push_back(std::polar(1.0, -2 * std::numbers::pi * turn));
    }
  }
  const Literal literal =
      Literal::from(std::span<const std::complex<double>>(values), Shape{rows, columns});
  return like.builder().constant(literal.convert(like.dtype()));
}

// Along the last axis of [batch, n].
ir::Value transform(ir::Value x) {
  const int64_t batch = x.shape()[0], n = x.shape()[1];
  if (n <= 1 || batch == 0) return x;
  const int64_t p = smallest_factor(n), m = n / p;
  const ir::Value parts = ir::reshape(x, {batch, p, m});  // [batch, a, b]
  // [c, batch, b]
  ir::Value sums = ir::dot_general(roots(x, p, p, p), parts,
                                   {.lhs_batching_dimensions = {},
                                    .rhs_batching_dimensions = {},
                                    .lhs_contracting_dimensions = {1},
                                    .rhs_contracting_dimensions = {1}});
  sums = ir::transpose(sums, {1, 0, 2});  // [batch, c, b]
  if (m > 1) {
    sums = sums * ir::broadcast_in_dim(roots(x, p, m, n), {batch, p, m}, {1, 2});
    sums = ir::reshape(transform(ir::reshape(sums, {batch * p, m})), {batch, p, m});
  }
  return ir::reshape(ir::transpose(sums, {0, 2, 1}), {batch, n});  // [batch, d, c]
}

// Along one axis of any array.
ir::Value along(ir::Value x, int axis, ir::Value (*function)(ir::Value)) {
  ir::Axes order;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  ir::Axes back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  const ir::Value moved = ir::transpose(x, order);
  const int64_t n = x.shape()[axis];
  const int64_t batch = n == 0 ? 0 : x.shape().elements() / n;
  const ir::Value done = function(ir::reshape(moved, {batch, n}));
  return ir::transpose(ir::reshape(done, moved.shape()), back);
}

ir::Value inverse(ir::Value x) {
  return conj(transform(conj(x))) * (1.0 / static_cast<double>(x.shape()[1]));
}

// The first `size` elements of the last axis.
ir::Value first_of_last(ir::Value x, int64_t size) {
  ir::Axes limit = x.shape().to_vector();
  limit.back() = size;
  return ir::slice(x, ir::Axes(limit.size(), 0), limit);
}

// The spectrum of a real signal of length n from its first n / 2 + 1 elements: the others are their
// conjugates, backwards.
ir::Value whole_spectrum(ir::Value x, int64_t n) {
  const int64_t last = x.rank() - 1, rest = n - (n / 2 + 1);
  if (rest <= 0) return x;
  ir::Axes start(static_cast<size_t>(x.rank()), 0), limit = x.shape().to_vector();
  start.back() = 1;
  limit.back() = 1 + rest;
  const ir::Value others = conj(ir::reverse(ir::slice(x, start, limit), {last}));
  const ir::Value parts[] = {x, others};
  return ir::concatenate(parts, last);
}

void check_lengths(const OpImport& op, ir::Value x, const ir::Axes& lengths, bool from_half) {
  const auto count = static_cast<int>(lengths.size());
  if (count < 1 || count > 3 || count > x.rank()) {
    op.fail("fft_length", str(count, " lengths"),
            str("1 to 3, for the last axes of ", to_string(x.type())));
  }
  for (int i = 0; i < count; ++i) {
    const int64_t length = lengths[static_cast<size_t>(i)];
    const int64_t size = x.shape()[x.rank() - count + i];
    const int64_t wanted = from_half && i == count - 1 ? length / 2 + 1 : length;
    const bool empty = size == 0 && length == 0;
    if (length < 0 || (size != wanted && !empty)) {
      op.fail("fft_length", str(length), str("the size of the axis, ", size));
    }
    if (length > longest) op.lack(str("a length of ", length), str("lengths up to ", longest));
    for (int64_t rest = length; rest > 1; rest /= smallest_factor(rest)) {
      if (smallest_factor(rest) <= largest_prime) continue;
      op.lack(str("a length of ", length), str("lengths with prime factors up to ", largest_prime));
    }
  }
}

}  // namespace

void import_fft(OpImport& op) {
  ir::Value x = op.operand(0);
  const ir::Axes lengths = op.axes("fft_length");
  const std::string_view type = op.word("fft_type", "");
  const bool to_real = type == "IRFFT", from_real = type == "RFFT";
  const bool backwards = to_real || type == "IFFT";
  if (!backwards && !from_real && type != "FFT") {
    op.fail("fft_type", str("'", type, "'"), "FFT, IFFT, RFFT or IRFFT");
  }
  if (is_complex(x.dtype()) == from_real) {
    op.fail("its operand", to_string(x.type()), from_real ? "floats" : "complex numbers");
  }
  check_lengths(op, x, lengths, to_real);
  if (from_real) x = formula::complex(x, formula::like(x, 0));
  const int rank = x.rank(), first = rank - static_cast<int>(lengths.size());
  // A real signal's half is made whole again behind the transforms of the other axes.
  for (int axis = first; axis < rank - 1; ++axis) {
    x = along(x, axis, backwards ? inverse : transform);
  }
  if (to_real) x = whole_spectrum(x, lengths.back());
  if (x.shape()[rank - 1] > 0) x = along(x, rank - 1, backwards ? inverse : transform);
  if (from_real) x = first_of_last(x, lengths.back() / 2 + 1);
  op.set(to_real ? formula::real(x) : x);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
