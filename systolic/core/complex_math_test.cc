#include "systolic/core/complex_math.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

using Complex = std::complex<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ComplexMath, ExponentialOfAnInfiniteAngleIsUnknown) {
  for (double re : {-infinity, -1.5, 0.0, infinity}) {
    for (double im : {-infinity, infinity}) {
      const Complex result = complex_exp({re, im});
      EXPECT_TRUE(std::isnan(result.real()) && std::isnan(result.imag())) << re << " " << im;
    }
  }
  EXPECT_EQ(complex_exp({-infinity, 1.5}), Complex(0, 0));
  EXPECT_EQ(complex_exp({infinity, 0}), Complex(infinity, 0));
}

// Against the power series, whose next term is below the last place.
TEST(ComplexMath, NearZeroNothingCancels) {
  for (const Complex x : {Complex(1e-9, 2e-9), Complex(-3e-10, 1e-9), Complex(0, 1e-12)}) {
    const Complex squared = x * x;
    const Complex grown = x + squared / 2.0, log = x - squared / 2.0;
    EXPECT_LE(std::abs(complex_expm1(x) - grown), 3e-16 * std::abs(grown)) << x;
    EXPECT_LE(std::abs(complex_log1p(x) - log), 3e-16 * std::abs(log)) << x;
  }
}

TEST(ComplexMath, LogarithmOfTheLargestDoesNotOverflow) {
  const Complex far = complex_log1p({1e300, -1e300});
  EXPECT_DOUBLE_EQ(far.real(), std::log(1e300) + std::log(2.0) / 2);
  EXPECT_DOUBLE_EQ(far.imag(), -std::atan(1.0));
  EXPECT_EQ(complex_log1p({infinity, 1}).real(), infinity);
}

}  // namespace
}  // namespace systolic
