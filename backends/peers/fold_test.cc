#include "backends/peers/fold.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "systolic/base/test_errors.h"
#include "systolic/core/float_types.h"

namespace systolic {
namespace {

using ir::OpCode;

template <class T>
T folded(DType dtype, OpCode fold, T a, T b) {
  T result{};
  peers::fold_arrays(dtype, fold)(&result, &a, &b, 1);
  return result;
}

TEST(Fold, EveryOpOfNumbers) {
  EXPECT_EQ(folded(DType::f32, OpCode::add, 1.5f, 2.0f), 3.5f);
  EXPECT_EQ(folded(DType::f64, OpCode::multiply, 1.5, 2.0), 3.0);
  EXPECT_EQ(folded(DType::f32, OpCode::maximum, -1.0f, 2.0f), 2.0f);
  EXPECT_EQ(folded(DType::f32, OpCode::minimum, -1.0f, 2.0f), -1.0f);
  EXPECT_EQ(folded(DType::i32, OpCode::minimum, 5, 5), 5);
  EXPECT_EQ(folded<int32_t>(DType::i32, OpCode::add, std::numeric_limits<int32_t>::max(), 1),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ(folded<uint8_t>(DType::u8, OpCode::and_, 6, 3), 2);
  EXPECT_EQ(folded<uint8_t>(DType::u8, OpCode::or_, 6, 3), 7);
  EXPECT_EQ(folded<uint8_t>(DType::u8, OpCode::xor_, 6, 3), 5);
  EXPECT_TRUE(folded(DType::pred, OpCode::or_, false, true));
  EXPECT_FALSE(folded(DType::pred, OpCode::and_, false, true));
  EXPECT_EQ(folded(DType::c64, OpCode::add, std::complex(1.f, 2.f), std::complex(3.f, 4.f)),
            std::complex(4.f, 6.f));
  EXPECT_EQ(static_cast<float>(folded(DType::bf16, OpCode::add, bfloat16(256.f), bfloat16(1.f))),
            256.f);  // rounded to even
}

TEST(Fold, NotANumberWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const OpCode fold : {OpCode::maximum, OpCode::minimum, OpCode::add}) {
    EXPECT_TRUE(std::isnan(folded(DType::f32, fold, nan, 1.0f)));
    EXPECT_TRUE(std::isnan(folded(DType::f32, fold, 1.0f, nan)));
  }
}

TEST(Fold, WhatHasNoMeaningIsRefused) {
  EXPECT_CONTAINS(error_of([] { peers::fold_arrays(DType::f32, OpCode::and_); }),
                  "Unimplemented: an all_reduce of f32 by and between processes");
  EXPECT_CONTAINS(error_of([] { peers::fold_arrays(DType::c64, OpCode::maximum); }),
                  "c64 by maximum");
  EXPECT_CONTAINS(error_of([] { peers::fold_arrays(DType::f32, OpCode::divide); }), "by divide");
  EXPECT_CONTAINS(error_of([] { peers::fold_arrays(DType::string, OpCode::add); }), "string");
  EXPECT_CONTAINS(error_of([] { peers::fold_arrays(DType::i4, OpCode::add); }), "i4 by add");
  EXPECT_TRUE(peers::can_fold(DType::i4, OpCode::maximum));
  EXPECT_FALSE(peers::can_fold(DType::u4, OpCode::multiply));
}

}  // namespace
}  // namespace systolic
