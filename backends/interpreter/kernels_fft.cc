// Fourier transforms in double precision, by a factor of the length at a time (J. W. Cooley and
// J. W. Tukey, Math. Comp. 19, 1965):
//   X[k + m c] = sum over r of W_n^(r (k + m c)) X_r[k], with X_r of the elements r, r + p, ...
// A large prime length is a convolution (L. I. Bluestein, 1970), so that none takes its square:
//   X[k] = c[k] sum over j of x[j] c[j] conj(c[k - j]), with c[j] = exp(-pi i j^2 / n)
#include <cmath>
#include <complex>
#include <numbers>

#include "backends/interpreter/elements.h"
#include "backends/interpreter/kernels.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using Number = std::complex<double>;
using Row = std::vector<Number>;

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

Row transform(const Row& x);

constexpr int64_t largest_defined = 2048;  // prime lengths up to this are summed up as defined

Row convolved(const Row& x) {
  const size_t n = x.size();
  size_t m = 1;
  while (m < 2 * n) m *= 2;
  Row chirp(n), a(m), b(m);
  for (size_t j = 0; j < n; ++j) {
    const double half_turns = static_cast<double>(j * j % (2 * n)) / static_cast<double>(n);
    chirp[j] = std::polar(1.0, -std::numbers::pi * half_turns);
    a[j] = x[j] * chirp[j];
    b[j] = b[(m - j) % m] = std::conj(chirp[j]);
  }
  a = transform(a);
  b = transform(b);
  for (size_t k = 0; k < m; ++k) a[k] = std::conj(a[k] * b[k]) / static_cast<double>(m);
  a = transform(a);
  for (size_t k = 0; k < n; ++k) chirp[k] *= std::conj(a[k]);
  return chirp;
}

Row transform(const Row& x) {
  const auto n = static_cast<int64_t>(x.size());
  if (n <= 1) return x;
  const int64_t p = smallest_factor(n), m = n / p;
  if (p > largest_defined) return convolved(x);
  Row result(x.size());
  for (int64_t r = 0; r < p; ++r) {
    Row part;
    for (int64_t j = r; j < n; j += p) part.push_back(x[static_cast<size_t>(j)]);
    part = transform(part);
    for (int64_t k = 0; k < n; ++k) {
      const double turn = static_cast<double>(r * k % n) / static_cast<double>(n);
      result[static_cast<size_t>(k)] +=
          std::polar(1.0, -2 * std::numbers::pi * turn) * part[static_cast<size_t>(k % m)];
    }
  }
  return result;
}

Row inverse(Row x) {
  for (Number& z : x) z = std::conj(z);
  Row result = transform(x);
  for (Number& z : result) z = std::conj(z) / static_cast<double>(x.size());
  return result;
}

// The whole spectrum of a real row of length n from its first n / 2 + 1 elements.
Row whole(const Row& half, int64_t n) {
  Row result(half);
  for (int64_t k = n / 2 + 1; k < n; ++k) {
    result.push_back(std::conj(half[static_cast<size_t>(n - k)]));
  }
  return result;
}

struct Array {
  Shape shape;
  Row elements;
};

// Each row along `axis` becomes function(row), of length `size`.
template <class Function>
Array along(const Array& x, int axis, int64_t size, Function&& function) {
  Array result{x.shape, {}};
  result.shape.set(axis, size);
  result.elements.resize(static_cast<size_t>(result.shape.elements()));
  Shape rows = x.shape;
  rows.set(axis, 1);
  for_each_index(rows, [&](Index index) {
    Row row;
    for (int64_t& i = index[static_cast<size_t>(axis)]; i < x.shape[axis]; ++i) {
      row.push_back(x.elements[static_cast<size_t>(offset_of(x.shape, index))]);
    }
    row = function(row);
    for (int64_t i = 0; i < size; ++i) {
      index[static_cast<size_t>(axis)] = i;
      result.elements[static_cast<size_t>(offset_of(result.shape, index))] =
          row[static_cast<size_t>(i)];
    }
  });
  return result;
}

Row numbers_of(const Literal& x) {
  const Literal wide = x.convert(DType::c128);
  const auto data = wide.data<Number>();
  return {data.begin(), data.end()};
}

}  // namespace

std::vector<Literal> run_fft(const Call& call) {
  const auto& a = call.op.get<ir::FftAttributes>();
  const bool to_real = a.type == ir::FftType::irfft, from_real = a.type == ir::FftType::rfft;
  const bool backwards = to_real || a.type == ir::FftType::ifft;
  const ir::Type& type = call.result();
  if (type.shape.elements() == 0) return {Literal::zeros(type.dtype, type.shape)};
  Array x{call.operand().shape(), numbers_of(call.operand())};
  const int last = x.shape.rank() - 1,
            first = x.shape.rank() - static_cast<int>(a.fft_length.size());
  if (from_real) {
    x = along(x, last, type.shape[last], [](const Row& row) { return transform(row); });
  }
  for (int axis = first; axis < (from_real || to_real ? last : last + 1); ++axis) {
    x = along(x, axis, x.shape[axis],
              [&](const Row& row) { return backwards ? inverse(row) : transform(row); });
  }
  if (to_real) {
    const int64_t n = a.fft_length.back();
    x = along(x, last, n, [&](const Row& row) { return inverse(whole(row, n)); });
  }
  const DType wide = is_complex(type.dtype) ? DType::c128 : DType::f64;
  Literal result(wide, type.shape);
  for (size_t i = 0; i < x.elements.size(); ++i) {
    if (wide == DType::c128) {
      result.mutable_data<Number>()[i] = x.elements[i];
    } else {
      result.mutable_data<double>()[i] = x.elements[i].real();
    }
  }
  return {result.convert(type.dtype)};
}

}  // namespace interpreter
}  // namespace systolic::inline v0
