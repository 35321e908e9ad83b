#include "backends/cpu/kernels/fft/fft_chirp.h"

#include <algorithm>
#include <complex>
#include <limits>
#include <numbers>

namespace systolic::inline v0 {
namespace kernels {
namespace {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

// From here on two transforms of more than twice the length are less work.
constexpr int64_t largest_plain_factor = 48;

int64_t convenient_length(int64_t least) {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int64_t odd : {1, 3, 5, 9, 15, 25, 27}) {
    int64_t length = odd;
    while (length < least) length *= 2;
    best = std::min(best, length);
  }
  return best;
}

int64_t smallest_factor(int64_t n) {
  for (int64_t factor : {2, 3, 5}) {
    if (n % factor == 0) return factor;
  }
  return n;
}

Numbers roots_of(size_t n) {
  Numbers roots(n);
  for (size_t k = 0; k < n; ++k) {
    const double turn = static_cast<double>(k) / static_cast<double>(n);
    roots[k] = std::polar(1.0, -2 * std::numbers::pi * turn);
  }
  return roots;
}

// The transform of the elements first, first + step, ..., by one factor of the length at a time;
// `roots` are those of the whole length.
Numbers transformed(const Numbers& x, const Numbers& roots, size_t first, size_t step) {
  const size_t n = x.size() / step;
  if (n == 1) return {x[first]};
  const auto p = static_cast<size_t>(smallest_factor(static_cast<int64_t>(n)));
  Numbers result(n);
  for (size_t r = 0; r < p; ++r) {
    const Numbers part = transformed(x, roots, first + r * step, step * p);
    for (size_t k = 0; k < n; ++k) result[k] += roots[r * k % n * step] * part[k % part.size()];
  }
  return result;
}

template <class T>
std::vector<T> parts_of(const Numbers& numbers) {
  std::vector<T> parts;
  parts.reserve(2 * numbers.size());
  for (const Number& number : numbers) {
    parts.push_back(static_cast<T>(number.real()));
    parts.push_back(static_cast<T>(number.imag()));
  }
  return parts;
}

}  // namespace

bool fft_wants_chirp(int64_t n) {
  for (int64_t factor = 2; factor <= largest_plain_factor; ++factor) {
    while (n % factor == 0) n /= factor;
  }
  return n > 1;
}

template <class T>
FftChirp<T> fft_chirp(int64_t n) {
  FftChirp<T> result{n, convenient_length(2 * n - 1), {}, {}};
  const auto length = static_cast<size_t>(n), whole = static_cast<size_t>(result.m);
  Numbers chirp(length), kernel(whole);
  for (size_t j = 0; j < length; ++j) {
    const double half_turns = static_cast<double>(j * j % (2 * length)) / static_cast<double>(n);
    chirp[j] = std::polar(1.0, -std::numbers::pi * half_turns);
    const Number element = std::conj(chirp[j]) / static_cast<double>(whole);
    kernel[j] = element;
    if (j > 0) kernel[whole - j] = element;
  }
  result.chirp = parts_of<T>(chirp);
  result.kernel = parts_of<T>(transformed(kernel, roots_of(whole), 0, 1));
  return result;
}

template FftChirp<float> fft_chirp(int64_t n);
template FftChirp<double> fft_chirp(int64_t n);

}  // namespace kernels
}  // namespace systolic::inline v0
