// fft, as sums over a factor p of its length (J. W. Cooley and J. W. Tukey, Math. Comp. 19, 1965).
// With N = p M, n = M a + b and k = c + p d:
//   X[c + p d] = sum over b of W_M^(b d) W_N^(b c) sum over a of W_p^(a c) x[M a + b]
// so that a transform of length N is products with a small matrix, one multiplication by factors,
// and transforms of length M. Real and imaginary parts are arrays of their own: the products are of
// real matrices, which an engine is fast at, and a length of 1024 takes two of them, with p = 32.
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo_formulas.h"
#include "systolic/stablehlo/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// What the tables of roots are bounded by.
constexpr int64_t largest_prime = 2048, longest = 1 << 20;

// A complex array [batch, n]; no imaginary part where it is zero.
struct Parts {
  ir::Value real;
  std::optional<ir::Value> imaginary = {};
};

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

// Products with larger matrices are more work, with smaller ones more passes over memory.
int64_t factor_of(int64_t n) {
  constexpr int64_t whole = 64, largest = 32;
  if (n <= whole) return n;
  for (int64_t p = largest; p > 1; --p) {
    if (n % p == 0) return p;
  }
  return smallest_factor(n);
}

// The rows and columns of exp(-2 pi i row column / n).
Parts roots(ir::Value like, int64_t rows, int64_t columns, int64_t n) {
  std::vector<double> cosines, sines;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double turn = static_cast<double>(row * column % n) / static_cast<double>(n);
      const std::complex<double> root = std::polar(1.0, -2 * std::numbers::pi * turn);
      cosines.push_back(root.real());
      sines.push_back(root.imag());
    }
  }
  const auto constant = [&](const std::vector<double>& values) {
    const Literal literal = Literal::from(std::span<const double>(values), Shape{rows, columns});
    return like.builder().constant(literal.convert(like.dtype()));
  };
  return {constant(cosines), constant(sines)};
}

// [batch, p, m] by [p, p]: sums over the middle axis, [batch, m, p].
ir::Value product(ir::Value x, ir::Value matrix) {
  return ir::dot_general(x, matrix,
                         {.lhs_batching_dimensions = {},
                          .rhs_batching_dimensions = {},
                          .lhs_contracting_dimensions = {1},
                          .rhs_contracting_dimensions = {0}});
}

// The sums over a: [batch, m, p] of x [batch, p m].
Parts sums_over_factor(const Parts& x, int64_t p) {
  const int64_t batch = x.real.shape()[0], m = x.real.shape()[1] / p;
  const Parts matrix = roots(x.real, p, p, p);
  if (!x.imaginary) {
    const ir::Value real = ir::reshape(x.real, {batch, p, m});
    return {product(real, matrix.real), product(real, *matrix.imaginary)};
  }
  const ir::Value both[] = {x.real, *x.imaginary};
  const ir::Value stacked = ir::reshape(ir::concatenate(both, 0), {2 * batch, p, m});
  const ir::Value cosines = product(stacked, matrix.real);
  const ir::Value sines = product(stacked, *matrix.imaginary);
  const auto of_real = [&](ir::Value z) { return ir::slice(z, {0, 0, 0}, {batch, m, p}); };
  const auto of_imaginary = [&](ir::Value z) {
    return ir::slice(z, {batch, 0, 0}, {2 * batch, m, p});
  };
  return {of_real(cosines) - of_imaginary(sines), of_real(sines) + of_imaginary(cosines)};
}

// Along the last axis of [batch, n].
Parts transform(const Parts& x) {
  const int64_t batch = x.real.shape()[0], n = x.real.shape()[1];
  if (n <= 1 || batch == 0) return x;
  const int64_t p = factor_of(n), m = n / p;
  const Parts sums = sums_over_factor(x, p);
  const auto reshaped = [](const Parts& z, const Shape& shape) {
    return Parts{ir::reshape(z.real, shape), ir::reshape(*z.imaginary, shape)};
  };
  const auto transposed = [](ir::Value z) { return ir::transpose(z, {0, 2, 1}); };
  if (m == 1) return reshaped(sums, {batch, n});
  const ir::Value re = transposed(sums.real), im = transposed(*sums.imaginary);  // [batch, c, b]
  const Parts factors = roots(x.real, p, m, n);
  const ir::Value u = ir::broadcast_in_dim(factors.real, {batch, p, m}, {1, 2});
  const ir::Value v = ir::broadcast_in_dim(*factors.imaginary, {batch, p, m}, {1, 2});
  const Parts turned{re * u - im * v, re * v + im * u};
  const Parts done = reshaped(transform(reshaped(turned, {batch * p, m})), {batch, p, m});
  return reshaped({transposed(done.real), transposed(*done.imaginary)}, {batch, n});
}

// The transform backwards is that forwards with real and imaginary parts exchanged, twice.
Parts inverse(const Parts& x) {
  const Parts done = transform({*x.imaginary, x.real});
  const double scale = 1.0 / static_cast<double>(x.real.shape()[1]);
  return {*done.imaginary * scale, done.real * scale};
}

// Along one axis of any array.
Parts along(const Parts& x, int axis, Parts (*function)(const Parts&)) {
  const Shape& shape = x.real.shape();
  ir::Axes order;
  for (int i = 0; i < x.real.rank(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  ir::Axes back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  const int64_t n = shape[axis], batch = n == 0 ? 0 : shape.elements() / n;
  const Shape moved = ir::transpose(x.real, order).shape();
  const auto flat = [&](ir::Value z) { return ir::reshape(ir::transpose(z, order), {batch, n}); };
  const auto restored = [&](ir::Value z) { return ir::transpose(ir::reshape(z, moved), back); };
  Parts given{flat(x.real)};
  if (x.imaginary) given.imaginary = flat(*x.imaginary);
  const Parts done = function(given);
  Parts result{restored(done.real)};
  if (done.imaginary) result.imaginary = restored(*done.imaginary);
  return result;
}

// The first `size` elements of the last axis.
ir::Value first_of_last(ir::Value x, int64_t size) {
  ir::Axes limit = x.shape().to_vector();
  limit.back() = size;
  return ir::slice(x, ir::Axes(limit.size(), 0), limit);
}

// The spectrum of a real signal of length n from its first n / 2 + 1 elements: the others are their
// conjugates, backwards.
Parts whole_spectrum(const Parts& x, int64_t n) {
  const int64_t last = x.real.rank() - 1, rest = n - (n / 2 + 1);
  if (rest <= 0) return x;
  const auto mirrored = [&](ir::Value z) {
    ir::Axes start(static_cast<size_t>(z.rank()), 0), limit = z.shape().to_vector();
    start.back() = 1;
    limit.back() = 1 + rest;
    return ir::reverse(ir::slice(z, start, limit), {last});
  };
  const ir::Value real[] = {x.real, mirrored(x.real)};
  const ir::Value imaginary[] = {*x.imaginary, -mirrored(*x.imaginary)};
  return {ir::concatenate(real, last), ir::concatenate(imaginary, last)};
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
  const int rank = x.rank(), last = rank - 1, first = rank - static_cast<int>(lengths.size());
  Parts parts{x};
  if (!from_real) parts = {formula::real(x), formula::imag(x)};
  const auto along_last = [&] {
    if (x.shape()[last] > 0) parts = along(parts, last, backwards ? inverse : transform);
  };
  // Of a real signal half the spectrum is enough: it is taken first, and made whole again last.
  if (from_real) {
    along_last();
    if (!parts.imaginary) parts.imaginary = formula::like(parts.real, 0);
    const int64_t half = lengths.back() / 2 + 1;
    parts = {first_of_last(parts.real, half), first_of_last(*parts.imaginary, half)};
  }
  for (int axis = first; axis < last; ++axis) {
    parts = along(parts, axis, backwards ? inverse : transform);
  }
  if (to_real) parts = whole_spectrum(parts, lengths.back());
  if (!from_real) along_last();
  op.set(to_real ? parts.real : formula::complex(parts.real, *parts.imaginary));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
