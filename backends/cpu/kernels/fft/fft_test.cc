// Fourier transforms against their definition, in double precision.
#include "backends/cpu/kernels/fft/fft.h"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "backends/cpu/kernels/kernel_test_data.h"

namespace systolic {
namespace {

using kernels::Fft;
using kernels::FftKind;
using Number = std::complex<double>;
using Numbers = std::vector<Number>;

// Sums over each row of n, with the roots forwards or backwards; in more digits than double has,
// whose rounding of so many terms would show.
Numbers defined(const Numbers& x, int64_t n, bool backwards) {
  using Wide = long double;
  std::vector<Wide> cosines, sines;
  for (int64_t k = 0; k < n; ++k) {
    const Wide turn = 2 * std::numbers::pi_v<Wide> * static_cast<Wide>(k) / static_cast<Wide>(n);
    cosines.push_back(std::cos(turn));
    sines.push_back(backwards ? std::sin(turn) : -std::sin(turn));
  }
  const auto size = static_cast<size_t>(n);
  const Wide scale = backwards ? 1 / static_cast<Wide>(n) : 1;
  Numbers result(x.size());
  for (size_t row = 0; row < x.size(); row += size) {
    for (size_t k = 0; k < size; ++k) {
      Wide real = 0, imaginary = 0;
      for (size_t j = 0, turn = 0; j < size; ++j) {
        const Wide re = x[row + j].real(), im = x[row + j].imag();
        real += re * cosines[turn] - im * sines[turn];
        imaginary += re * sines[turn] + im * cosines[turn];
        turn += k;
        if (turn >= size) turn -= size;
      }
      result[row + k] = {static_cast<double>(scale * real), static_cast<double>(scale * imaginary)};
    }
  }
  return result;
}

template <class T>
std::vector<double> run(FftKind kind, int64_t rows, int64_t n, const std::vector<double>& input,
                        int64_t outputs) {
  const int64_t columns = kind == FftKind::irfft ? n / 2 + 1 : n;
  const Fft transform(
      {.kind = kind, .is_double = sizeof(T) == 8, .input_dims = {rows, columns}, .lengths = {n}},
      2);
  AlignedBytes scratch(transform.scratch_bytes());
  const std::vector<T> from = converted<T>(input);
  std::vector<T> to(static_cast<size_t>(outputs));
  transform.run(from.data(), to.data(), scratch.data(), pool());
  return widened(to);
}

std::vector<double> parts(const Numbers& z) {
  std::vector<double> result;
  for (const Number& number : z) {
    result.push_back(number.real());
    result.push_back(number.imag());
  }
  return result;
}

Numbers numbers(const std::vector<double>& parts) {
  Numbers result;
  for (size_t i = 0; i < parts.size(); i += 2) result.emplace_back(parts[i], parts[i + 1]);
  return result;
}

struct Row {
  int64_t rows, n;
};
// Every radix; groups that are not full; rows that are a multiple of a vector, and rows that leave
// a remainder of each size after whole and half vectors; single rows that are split in two
// transforms, as are lengths beyond 4096; large primes and their multiples, odd and even, which are
// convolutions, for one long row and for many rows.
const Row rows[] = {{1, 1},    {2, 2},   {3, 3},   {17, 4},  {5, 5},    {33, 7},
                    {2, 30},   {16, 64}, {1, 47},  {7, 360}, {1, 512},  {3, 700},
                    {1, 4352}, {1, 513}, {40, 53}, {3, 106}, {19, 118}, {1, 1009},
                    {2, 4099}, {37, 45}, {35, 50}, {18, 63}, {31, 80},  {33, 100}};

template <class T>
void check_rows(double tolerance) {
  for (const auto& [count, n] : rows) {
    SCOPED_TRACE(testing::Message() << count << " rows of " << n);
    const int64_t half = n / 2 + 1;
    const std::vector<double> z = widened(converted<T>(test_values(2 * count * n, 3)));
    EXPECT_LT(relative_rms_error(run<T>(FftKind::fft, count, n, z, 2 * count * n),
                                 parts(defined(numbers(z), n, false))),
              tolerance);
    EXPECT_LT(relative_rms_error(run<T>(FftKind::ifft, count, n, z, 2 * count * n),
                                 parts(defined(numbers(z), n, true))),
              tolerance);
    const std::vector<double> x(z.begin(), z.begin() + count * n);
    const Numbers spectrum = defined(Numbers(x.begin(), x.end()), n, false);
    Numbers halves;
    for (int64_t row = 0; row < count; ++row) {
      halves.insert(halves.end(), spectrum.begin() + row * n, spectrum.begin() + row * n + half);
    }
    EXPECT_LT(
        relative_rms_error(run<T>(FftKind::rfft, count, n, x, 2 * count * half), parts(halves)),
        tolerance);
    EXPECT_LT(relative_rms_error(run<T>(FftKind::irfft, count, n, parts(halves), count * n), x),
              tolerance);
  }
}

TEST(Fft, RowsAreThoseOfTheDefinition) {
  check_rows<float>(1e-6);
  check_rows<double>(2e-15);
}

// Imaginary parts where a real row's spectrum has none are not read, as of NumPy's irfft.
TEST(Fft, ImaginaryPartsOfTheEndsDoNotCount) {
  for (int64_t n : {4, 6, 600}) {
    std::vector<double> half = test_values(2 * (n / 2 + 1), 5);
    const std::vector<double> with = run<double>(FftKind::irfft, 1, n, half, n);
    half[1] = 0;
    half.back() = 0;
    EXPECT_EQ(run<double>(FftKind::irfft, 1, n, half, n), with) << n;
  }
}

}  // namespace
}  // namespace systolic
