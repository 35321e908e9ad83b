#include "systolic/runtime/integer_bounds.h"

#include <gtest/gtest.h>

#include <limits>

namespace systolic {
namespace {

using runtime::integer_bounds;

TEST(IntegerBounds, AreTheLeastAndTheMost) {
  for (const DType dtype :
       {DType::i16, DType::u16, DType::i32, DType::u32, DType::i64, DType::u64}) {
    const auto bounds = integer_bounds(Literal::of<int32_t>({{7, 3}, {90, 5}}).convert(dtype));
    ASSERT_TRUE(bounds.has_value()) << to_string(dtype);
    EXPECT_EQ(bounds->least, 3) << to_string(dtype);
    EXPECT_EQ(bounds->most, 90) << to_string(dtype);
  }
  EXPECT_EQ(integer_bounds(Literal::of<int64_t>({-4, 2}))->least, -4);
  EXPECT_EQ(integer_bounds(Literal::of<uint64_t>({5, std::numeric_limits<uint64_t>::max()}))->most,
            std::numeric_limits<int64_t>::max());
}

TEST(IntegerBounds, AreUnknownOfOthers) {
  EXPECT_FALSE(integer_bounds(Literal::of<float>({1, 2})).has_value());
  EXPECT_FALSE(integer_bounds(Literal::of<uint8_t>({1, 2})).has_value());
  EXPECT_FALSE(integer_bounds(Literal(DType::i32, {0, 4})).has_value());
}

}  // namespace
}  // namespace systolic
