#include "systolic/image/augment/mix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace image {
namespace {

constexpr int64_t batch = 16;

// Picture i is i everywhere, label i is one-hot: what was mixed shows in the numbers.
Literal flat_pictures() {
  Literal result(DType::f32, Shape{batch, 12, 10, 3});
  for (int64_t i = 0; i < result.size(); ++i) {
    result.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i / 360);
  }
  return result;
}
Literal one_hot() {
  Literal result = Literal::zeros(DType::f32, Shape{batch, batch});
  for (size_t i = 0; i < batch; ++i) result.mutable_data<float>()[i * batch + i] = 1;
  return result;
}

TEST(Mix, MixupSharesPicturesAndLabelsAlike) {
  double mean_share = 0, pairs = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Mixed mixed = mixup(flat_pictures(), one_hot(), seed, {.alpha = 0.3});
    for (int64_t i = 0; i < batch; ++i) {
      double sum = 0, expected = 0;
      for (int64_t k = 0; k < batch; ++k) {
        const double share = mixed.labels.number_at(i * batch + k);
        sum += share;
        expected += share * static_cast<double>(k);
      }
      EXPECT_NEAR(sum, 1, 1e-6);
      for (const int64_t at : {0, 77, 359}) {
        EXPECT_NEAR(mixed.images.number_at(i * 360 + at), expected, 1e-5);
      }
      const double own = mixed.labels.number_at(i * batch + i);
      if (own < 1) mean_share += own, ++pairs;
    }
  }
  EXPECT_NEAR(mean_share / pairs, 0.5, 0.05);  // Beta is even; 3000 pairs, deviation 0.4
}

TEST(Mix, CutmixLabelsAreTheAreasLeft) {
  int mixed_pictures = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Mixed mixed = cutmix(flat_pictures(), one_hot(), seed);
    for (int64_t i = 0; i < batch; ++i) {
      double own = 0;
      for (int64_t p = 0; p < 360; ++p) {
        own += mixed.images.number_at(i * 360 + p) == static_cast<double>(i) ? 1.0 / 360 : 0;
      }
      EXPECT_NEAR(mixed.labels.number_at(i * batch + i), own, 1e-6);
      mixed_pictures += own < 1 ? 1 : 0;
    }
  }
  EXPECT_GT(mixed_pictures, 1000);
}

TEST(Mix, Errors) {
  EXPECT_THROW(mixup(flat_pictures(), one_hot(), 0, {.alpha = 0}), InvalidArgument);
  EXPECT_THROW(mixup(flat_pictures(), one_hot().rows(0, 3), 0), InvalidArgument);
  EXPECT_THROW(cutmix(flat_pictures().convert(DType::f64), one_hot(), 0), InvalidArgument);
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
