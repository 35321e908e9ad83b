#include "systolic/stablehlo/narrow.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systolic {
namespace {

using stablehlo::ElementType;
using E = ElementType;

// From the types' definitions (OCP Microscaling Formats 1.0; the names' own bits and bias): the
// least and the largest number above 0, and what becomes of an infinity, -0 and NaN.
struct Case {
  E type;
  int codes;  // beside the sign
  double least, largest, of_infinity;
  bool has_negative_zero, has_nan;
};

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

const Case cases[] = {
    {E::f4e2m1fn, 8, 0.5, 6, 6, true, false},
    {E::f6e2m3fn, 32, 0.125, 7.5, 7.5, true, false},
    {E::f6e3m2fn, 32, 0.0625, 28, 28, true, false},
    {E::f8e3m4, 128, 0x1p-6, 15.5, inf, true, true},
    {E::f8e4m3, 128, 0x1p-9, 240, inf, true, true},
    {E::f8e4m3b11fnuz, 128, 0x1p-13, 30, nan, false, true},
    {E::f8e4m3fnuz, 128, 0x1p-10, 240, nan, false, true},
    {E::f8e5m2fnuz, 128, 0x1p-17, 57344, nan, false, true},
};

class NarrowFloats : public testing::TestWithParam<Case> {
 protected:
  double number(int bits) const {
    return stablehlo::narrow_float_number(static_cast<uint8_t>(bits), GetParam().type);
  }
  uint8_t bits(double number) const {
    return stablehlo::narrow_float_bits(number, GetParam().type);
  }
};

TEST_P(NarrowFloats, HaveTheirDefinitionsNumbers) {
  const Case& c = GetParam();
  EXPECT_EQ(number(0), 0);
  EXPECT_EQ(number(1), c.least);
  double largest = 0;
  for (int code = 0; code < c.codes; ++code) {
    if (std::isfinite(number(code))) largest = std::max(largest, number(code));
  }
  EXPECT_EQ(largest, c.largest);
}

TEST_P(NarrowFloats, AreReadBackAsTheyAre) {
  for (int code = 0; code < 2 * GetParam().codes; ++code) {
    const double value = number(code);
    if (!std::isnan(value)) {
      EXPECT_EQ(bits(value), code) << value;
    }
  }
}

TEST_P(NarrowFloats, RoundToTheNearest) {
  const Case& c = GetParam();
  for (int code = 0; code + 1 < c.codes && number(code + 1) <= c.largest; ++code) {
    const double low = number(code), high = number(code + 1), middle = (low + high) / 2;
    EXPECT_EQ(bits(std::nextafter(middle, 0)), code);
    EXPECT_EQ(bits(std::nextafter(middle, high)), code + 1);
    EXPECT_EQ(bits(middle), code % 2 == 0 ? code : code + 1);
  }
}

TEST_P(NarrowFloats, OverflowAndSpecialsAsTheTypeHasThem) {
  const Case& c = GetParam();
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  EXPECT_TRUE(same(number(bits(inf)), c.of_infinity));
  EXPECT_TRUE(same(number(bits(1e30)), c.of_infinity));
  EXPECT_TRUE(same(number(bits(-1e30)), -c.of_infinity));
  EXPECT_EQ(std::signbit(number(bits(-0.0))), c.has_negative_zero);
  EXPECT_EQ(std::isnan(number(bits(nan))), c.has_nan);
}

INSTANTIATE_TEST_SUITE_P(Types, NarrowFloats, testing::ValuesIn(cases), [](const auto& info) {
  return std::string(stablehlo::info(info.param.type).name);
});

// One scale for all: powers of two from 2^-127 to 2^127, without a sign and without 0.
TEST(NarrowFloats, F8E8M0FNUIsAScale) {
  const auto bits = [](double x) { return stablehlo::narrow_float_bits(x, E::f8e8m0fnu); };
  for (int code = 0; code < 255; ++code) {
    const double value = stablehlo::narrow_float_number(static_cast<uint8_t>(code), E::f8e8m0fnu);
    EXPECT_EQ(value, std::ldexp(1, code - 127));
    EXPECT_EQ(bits(value), code);
  }
  EXPECT_TRUE(std::isnan(stablehlo::narrow_float_number(255, E::f8e8m0fnu)));
  EXPECT_EQ(bits(0), 0);
  EXPECT_EQ(bits(-1), 255);
  EXPECT_EQ(bits(1.25), 127);
  EXPECT_EQ(bits(1.75), 128);
  EXPECT_EQ(bits(inf), 255);
}

TEST(Narrow, EachTypeKnowsItsBits) {
  EXPECT_EQ(stablehlo::element_bits(E::i1), 1);
  EXPECT_EQ(stablehlo::element_bits(E::ui2), 2);
  EXPECT_EQ(stablehlo::element_bits(E::i4), 4);
  EXPECT_EQ(stablehlo::element_bits(E::f6e3m2fn), 6);
  EXPECT_EQ(stablehlo::element_bits(E::f8e4m3fn), 8);
  EXPECT_EQ(stablehlo::element_bits(E::c128), 128);
}

}  // namespace
}  // namespace systolic
