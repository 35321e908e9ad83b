#include "backends/cpu/kernels/float_conversion.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"

namespace systolic {
namespace {

// Every sign and exponent, with mantissas below, at and above the middle between two small floats;
// infinities and NaNs are among them. Not a whole number of vectors.
std::vector<float> floats() {
  std::vector<float> values{0.1f, 0.2f, 0.3f};
  for (uint32_t high = 0; high < 0x200; ++high) {
    for (uint32_t low : {0x0u, 0x1u, 0xfffu, 0x1000u, 0x1001u, 0x3000u, 0x7fffu, 0x8000u, 0x8001u,
                         0x18000u, 0x400000u, 0x7fffffu}) {
      values.push_back(std::bit_cast<float>(high << 23 | low));
    }
  }
  return values;
}

// The scalar types convert by their own arithmetic.
template <class Small, class Narrow>
void check(DType dtype, const Narrow& narrow_floats) {
  const std::vector<float> values = floats();
  const auto count = static_cast<int64_t>(values.size());
  AlignedBytes memory(values.size() * sizeof(Small));
  const std::span narrow(static_cast<Small*>(memory.data()), values.size());
  narrow_floats(dtype, values.data(), narrow.data(), count);
  std::vector<float> wide(values.size());
  kernels::widen_floats(dtype, narrow.data(), wide.data(), count);
  for (size_t i = 0; i < values.size(); ++i) {
    SCOPED_TRACE(std::bit_cast<uint32_t>(values[i]));
    const Small wanted(values[i]);
    if (values[i] != values[i]) {
      EXPECT_NE(float(narrow[i]), float(narrow[i]));
      EXPECT_NE(wide[i], wide[i]);
      continue;
    }
    EXPECT_EQ(narrow[i].bits, wanted.bits);
    EXPECT_EQ(std::bit_cast<uint32_t>(wide[i]), std::bit_cast<uint32_t>(float(wanted)));
  }
}

TEST(FloatConversion, RoundsToNearestAsTheScalarTypesDo) {
  for (const auto& narrow : {kernels::narrow_floats, kernels::narrow_floats_streaming}) {
    check<bfloat16>(DType::bf16, narrow);
    check<float16>(DType::f16, narrow);
  }
}

}  // namespace
}  // namespace systolic
