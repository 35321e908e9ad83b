#include "systolic/core/float_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace systolic {
namespace {

// Every finite value of the type in rising order must round back from itself, from everything up to
// the midpoint to its neighbours (ties to the even one), which checks the rounding of every float
// between them.
template <class T, class Bits>
void check_all_roundings(Bits largest_finite) {
  for (uint32_t i = 0; i < largest_finite; ++i) {
    const float low = T::from_bits_for_test(static_cast<Bits>(i));
    const float high = T::from_bits_for_test(static_cast<Bits>(i + 1));
    ASSERT_LT(low, high);
    const float middle = low + (high - low) / 2;
    const uint32_t even = i % 2 == 0 ? i : i + 1;
    ASSERT_EQ(T::encode(low), i);
    ASSERT_EQ(T::encode(middle), even);
    ASSERT_EQ(T::encode(std::nextafter(middle, 0.0f)), i);
    ASSERT_EQ(T::encode(std::nextafter(middle, INFINITY)), i + 1);
    constexpr uint32_t sign = uint32_t{1} << (8 * sizeof(Bits) - 1);
    ASSERT_EQ(T::encode(-low), i | sign);
    ASSERT_EQ(T::encode(-middle), even | sign);
  }
}

struct Half {
  static float from_bits_for_test(uint16_t bits) { return float16::from_bits(bits); }
  static uint32_t encode(float value) { return float16(value).bits; }
};
struct Brain {
  static float from_bits_for_test(uint16_t bits) { return bfloat16::from_bits(bits); }
  static uint32_t encode(float value) { return bfloat16(value).bits; }
};
struct E4M3 {
  static float from_bits_for_test(uint8_t bits) { return float8_e4m3fn_to_float(bits); }
  static uint32_t encode(float value) { return float8_e4m3fn(value).bits; }
};
struct E5M2 {
  static float from_bits_for_test(uint8_t bits) { return float8_e5m2_to_float(bits); }
  static uint32_t encode(float value) { return float8_e5m2(value).bits; }
};

TEST(FloatTypes, EveryRoundingIsToNearestEven) {
  check_all_roundings<Half, uint16_t>(0x7bff);
  check_all_roundings<Brain, uint16_t>(0x7f7f);
  check_all_roundings<E4M3, uint8_t>(0x7e);
  check_all_roundings<E5M2, uint8_t>(0x7b);
}

// Values from the formats' definitions: value = mantissa * 2^exponent.
TEST(FloatTypes, DecodesByDefinition) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const int exponent = static_cast<int>(bits >> 10);
    const int mantissa = static_cast<int>(bits & 1023) + (exponent > 0 ? 1024 : 0);
    ASSERT_EQ(float16_to_float(static_cast<uint16_t>(bits)),
              std::ldexp(static_cast<float>(mantissa), std::max(exponent, 1) - 25));
  }
  for (uint32_t bits = 0; bits < 0x7f; ++bits) {
    const int exponent = static_cast<int>(bits >> 3);
    const int mantissa = static_cast<int>(bits & 7) + (exponent > 0 ? 8 : 0);
    ASSERT_EQ(float8_e4m3fn_to_float(static_cast<uint8_t>(bits)),
              std::ldexp(static_cast<float>(mantissa), std::max(exponent, 1) - 10));
  }
  for (uint32_t bits = 0; bits < 0x7c; ++bits) {
    const int exponent = static_cast<int>(bits >> 2);
    const int mantissa = static_cast<int>(bits & 3) + (exponent > 0 ? 4 : 0);
    ASSERT_EQ(float8_e5m2_to_float(static_cast<uint8_t>(bits)),
              std::ldexp(static_cast<float>(mantissa), std::max(exponent, 1) - 17));
  }
}

TEST(FloatTypes, TooLargeBecomesInfinityOrNaN) {
  EXPECT_EQ(float16(65519.0f).bits, 0x7bff);
  EXPECT_EQ(float16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(float16(-1e30f).bits, 0xfc00);
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(float8_e5m2(61440.0f).bits, 0x7c);
  EXPECT_EQ(float8_e4m3fn(464.0f).bits, 0x7e);  // the tie between 448 and 480
  EXPECT_EQ(float8_e4m3fn(465.0f).bits, 0x7f);
  EXPECT_EQ(float8_e4m3fn(INFINITY).bits, 0x7f);
  EXPECT_EQ(float8_e4m3fn(-INFINITY).bits, 0xff);
}

TEST(FloatTypes, NaNAndInfinityStay) {
  EXPECT_TRUE(std::isnan(float(float16(NAN))));
  EXPECT_TRUE(std::isnan(float(bfloat16(NAN))));
  EXPECT_TRUE(std::isnan(float(float8_e4m3fn(NAN))));
  EXPECT_TRUE(std::isnan(float(float8_e5m2(NAN))));
  EXPECT_EQ(float(float16(-INFINITY)), -INFINITY);
  EXPECT_EQ(float(bfloat16(INFINITY)), INFINITY);
  EXPECT_EQ(float(float8_e5m2(INFINITY)), INFINITY);
}

}  // namespace
}  // namespace systolic
