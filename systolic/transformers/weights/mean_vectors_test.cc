#include "systolic/transformers/weights/mean_vectors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

constexpr int64_t tokens = 40, size = 3, count = 20000;

Literal covariance(const Tensor& vectors) {
  const Tensor centered = vectors - mean(vectors, {.axis = 0, .keepdims = true});
  const auto rows = static_cast<double>(vectors.shape()[0]);
  return (matmul(centered, centered, {.transpose_a = true}) * (1 / rows)).literal();
}

// Of `count` draws a mean is off by 0.007 deviations, a covariance by 1 % of them, once each.
TEST(MeanVectors, HaveTheMeanOfTheOthersAndLittleOfTheirCovariance) {
  set_seed(3);
  const Tensor mix(Literal::of<float>({{1, 0.5, 0}, {0, 0.25, -1}, {0, 0, 2}}));
  const Tensor vectors = matmul(random_normal({tokens, size}, 0.1), mix);
  const Tensor drawn = near_mean_vectors(vectors, count);
  ASSERT_EQ(drawn.shape(), Shape({count, size}));
  const double scale = std::sqrt(1e-9);
  const Literal expected = mean(vectors, {.axis = 0}).literal(),
                got = mean(drawn, {.axis = 0}).literal();
  const Literal wanted = covariance(vectors), has = covariance(drawn * (1 / scale));
  for (int64_t i = 0; i < size; ++i) {
    EXPECT_NEAR(got.number_at(i), expected.number_at(i), 0.1 * scale);
    for (int64_t j = 0; j < size; ++j) {
      const double deviations =
          std::sqrt(wanted.number_at(i * size + i) * wanted.number_at(j * size + j));
      EXPECT_NEAR(has.number_at(i * size + j), wanted.number_at(i * size + j), 0.05 * deviations)
          << i << "," << j;
    }
  }
}

TEST(MeanVectors, KeepTheirType) {
  const Tensor narrow = cast(random_normal({tokens, size}), DType::bf16);
  EXPECT_EQ(near_mean_vectors(narrow, 300).dtype(), DType::bf16);
  EXPECT_EQ(near_mean_vectors(narrow, 300).shape(), Shape({300, size}));
  EXPECT_EQ(near_mean_numbers(cast(random_normal({tokens}), DType::bf16), 2).dtype(), DType::bf16);
}

TEST(MeanVectors, NumbersHaveTheMeanAndLittleOfTheirDeviation) {
  set_seed(4);
  // A mean of 0, which hides nothing.
  const Tensor drawn = near_mean_numbers(Tensor(Literal::of<float>({-1, 0, 1})), count);
  const double deviation = std::sqrt(2.0 / 3) * 1e-9;
  EXPECT_NEAR(mean(drawn).item<float>(), 0, 0.1 * deviation);
  EXPECT_NEAR(sqrt(mean(square(drawn * 1e9))).item<float>(), deviation * 1e9, 0.05);
}

}  // namespace
}  // namespace systolic
