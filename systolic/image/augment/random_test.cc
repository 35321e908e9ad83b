#include "systolic/image/augment/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/image/augment/draws.h"
#include "systolic/image/augment/mix.h"
#include "systolic/image/augment/rand_augment.h"
#include "systolic/image/flip.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// Pixel (y, x) is y * width + x, so that a crop tells where it comes from.
Literal numbered(int64_t height, int64_t width) {
  Literal result(DType::f32, Shape{height, width, 1});
  float next = 0;
  for (float& value : result.mutable_data<float>()) value = next++;
  return result;
}

TEST(Random, FlipsHalfOfThePictures) {
  const Literal picture = numbered(3, 4), flipped = flip_left_right(picture);
  int flips = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    const Literal got = stateless_random_flip_left_right(picture, element_seed(7, i));
    EXPECT_EQ(got, stateless_random_flip_left_right(picture, element_seed(7, i)));
    ASSERT_TRUE(got == picture || got == flipped);
    flips += got == flipped ? 1 : 0;
  }
  EXPECT_NEAR(flips, 2000, 5 * std::sqrt(1000));  // five deviations
}

TEST(Random, PicturesOfABatchDrawForThemselves) {
  Literal batch(DType::f32, Shape{64, 3, 4, 1});
  float next = 0;
  for (float& value : batch.mutable_data<float>()) value = std::fmod(next++, 12.0f);
  const Literal got = stateless_random_flip_left_right(batch, 5);
  int flips = 0;
  for (int64_t i = 0; i < 64; ++i) flips += got.row(i) == batch.row(i) ? 0 : 1;
  EXPECT_GT(flips, 12);
  EXPECT_LT(flips, 52);
}

TEST(Random, ElementSeedsDiffer) {
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t epoch = 0; epoch < 10; ++epoch) {
      for (uint64_t i = 0; i < 100; ++i) seeds.insert(element_seed(seed, i, epoch));
    }
  }
  EXPECT_EQ(seeds.size(), 10'000u);
}

TEST(Random, CropsLieAnywhereInside) {
  const Literal picture = numbered(5, 7);
  std::set<float> corners;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Literal got = stateless_random_crop(picture, 3, 4, seed);
    ASSERT_EQ(got.shape(), (Shape{3, 4, 1}));
    corners.insert(got.at<float>({0, 0, 0}));
    EXPECT_EQ(got.at<float>({2, 3, 0}) - got.at<float>({0, 0, 0}), 2 * 7 + 3);
  }
  EXPECT_EQ(corners.size(), 3u * 4u);
  EXPECT_THROW(stateless_random_crop(picture, 6, 4, 0), InvalidArgument);
}

// The corners of the boxes show in the values of a nearest resize.
TEST(Random, ResizedCropsKeepAreaAndRatio) {
  const Literal picture = numbered(60, 80);
  double mean_area = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Literal got = random_resized_crop(
        picture, 120, 160, seed,
        {.scale_low = 0.2, .scale_high = 0.5, .resize = {.method = Resize::nearest}});
    ASSERT_EQ(got.shape(), (Shape{120, 160, 1}));
    const auto first = static_cast<int>(got.at<float>({0, 0, 0}));
    const auto last = static_cast<int>(got.at<float>({119, 159, 0}));
    const double height = last / 80 - first / 80 + 1, width = last % 80 - first % 80 + 1;
    EXPECT_GE(width / height, 0.75 * 0.95);
    EXPECT_LE(width / height, 4.0 / 3 * 1.05);
    EXPECT_GE(height * width, 0.2 * 4800 * 0.95);
    EXPECT_LE(height * width, 0.5 * 4800 * 1.05);
    mean_area += height * width / 4800 / 2000;
  }
  EXPECT_NEAR(mean_area, 0.35, 0.01);  // deviation of the mean: 0.3 / sqrt(12 * 2000) = 0.002
}

struct Observed {
  std::string function;
  std::function<double(uint64_t seed)> number;  // grows with the function's first draw
};

Literal brown() {  // a hue between red and yellow; the second pixel gives contrast a mean
  Literal result(DType::f32, Shape{1, 2, 3});
  const std::array<float, 6> values{0.6f, 0.4f, 0.2f, 0.1f, 0.1f, 0.1f};
  std::copy(values.begin(), values.end(), result.mutable_data<float>().begin());
  return result;
}

double resized_area(const Literal& corners) {
  const auto first = static_cast<int>(corners.number_at(0));
  const auto last = static_cast<int>(corners.number_at(corners.size() - 1));
  return (last / 30 - first / 30 + 1) * (last % 30 - first % 30 + 1);
}

// The picture that the last of four pictures is mixed with.
double partner(const Mixed& mixed) {
  for (int64_t k = 0; k < 3; ++k) {
    if (mixed.labels.number_at(3 * 4 + k) > 0) return static_cast<double>(k);
  }
  return 3;
}

double drawn_operation(uint64_t seed) {
  static const Literal picture = [] {
    Literal result(DType::u8, Shape{6, 5, 3});
    uint8_t next = 40;
    for (uint8_t& value : result.mutable_data<uint8_t>()) value = next = (next * 5 + 3) % 200;
    return result;
  }();
  const Literal got = rand_augment(picture, seed, {.num_ops = 1, .magnitude = 20});
  double index = 0;
  for (const std::string_view name : rand_augment_operations()) {
    for (const bool negative : {false, true}) {
      if (rand_augment_operation(picture, name, 20.0 / 30, negative) == got) return index;
    }
    ++index;
  }
  return index;
}

std::vector<Observed> every_function() {
  const Literal grid = numbered(30, 30), colour = brown();
  Literal four(DType::f32, Shape{4, 6, 6, 1}), labels = Literal::zeros(DType::f32, Shape{4, 4});
  for (size_t i = 0; i < 4; ++i) labels.mutable_data<float>()[5 * i] = 1;
  return {
      {"flip_left_right",
       [=](uint64_t s) { return stateless_random_flip_left_right(grid, s) == grid ? 0 : 1; }},
      {"flip_up_down",
       [=](uint64_t s) { return stateless_random_flip_up_down(grid, s) == grid ? 0 : 1; }},
      {"brightness",
       [=](uint64_t s) { return stateless_random_brightness(colour, 0.1, s).number_at(0); }},
      {"contrast",
       [=](uint64_t s) { return stateless_random_contrast(colour, 0.5, 1.5, s).number_at(0); }},
      {"saturation",
       [=](uint64_t s) { return -stateless_random_saturation(colour, 0.5, 1.4, s).number_at(2); }},
      {"hue", [=](uint64_t s) { return stateless_random_hue(colour, 0.07, s).number_at(1); }},
      {"crop", [=](uint64_t s) { return stateless_random_crop(grid, 4, 30, s).number_at(0); }},
      {"random_resized_crop",
       [=](uint64_t s) {
         return resized_area(
             random_resized_crop(grid, 60, 60, s, {.resize = {.method = Resize::nearest}}));
       }},
      {"rand_augment", drawn_operation},
      {"mixup", [=](uint64_t s) { return partner(mixup(four, labels, s, {.alpha = 1})); }},
      {"cutmix", [=](uint64_t s) { return partner(cutmix(four, labels, s, {.alpha = 1})); }}};
}

// To the mean 0 and the sum of squares 1.
std::vector<double> standardized(std::vector<double> values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (double& value : values) squares += (value - mean) * (value - mean);
  for (double& value : values) value = (value - mean) / std::sqrt(squares);
  return values;
}

// With the same seed every function draws numbers of its own: a crop does not decide the flip.
TEST(Random, FunctionsOfOneSeedAreIndependent) {
  constexpr uint64_t seeds = 1000;
  const std::vector<Observed> functions = every_function();
  std::vector<std::vector<double>> numbers;
  for (const Observed& observed : functions) {
    std::vector<double> row;
    for (uint64_t i = 0; i < seeds; ++i) row.push_back(observed.number(element_seed(3, i)));
    numbers.push_back(standardized(std::move(row)));
  }
  for (size_t a = 0; a < numbers.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      double correlation = 0;
      for (size_t i = 0; i < seeds; ++i) correlation += numbers[a][i] * numbers[b][i];
      // Five deviations of the correlation of independent numbers.
      EXPECT_LE(std::abs(correlation), 5 / std::sqrt(seeds))
          << functions[a].function << " and " << functions[b].function;
    }
  }
}

TEST(Random, NumbersHaveTheirDistributions) {
  Draws draws(3);
  constexpr int count = 40'000;
  std::array<double, 4> mean{}, square{};
  for (int i = 0; i < count; ++i) {
    const std::array<double, 4> values{draws.uniform(), draws.normal(), draws.beta(0.4, 0.4),
                                       draws.beta(2, 2)};
    for (size_t k = 0; k < 4; ++k) {
      mean[k] += values[k] / count;
      square[k] += values[k] * values[k] / count;
    }
  }
  // Beta(a, a) has the variance 1 / (4 (2a + 1)).
  const std::array<double, 4> means{0.5, 0, 0.5, 0.5},
      variances{1.0 / 12, 1, 1 / (4 * 1.8), 1 / (4 * 5.0)};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(mean[k], means[k], 5 * std::sqrt(variances[k] / count)) << k;
    EXPECT_NEAR(square[k] - mean[k] * mean[k], variances[k], 0.03 * variances[k]) << k;
  }
}

TEST(Random, Errors) {
  const Literal picture = numbered(4, 4);
  EXPECT_THROW(stateless_random_brightness(picture, -1, 0), InvalidArgument);
  EXPECT_THROW(stateless_random_contrast(picture, 2, 1, 0), InvalidArgument);
  EXPECT_THROW(stateless_random_hue(picture, 0.6, 0), InvalidArgument);
  EXPECT_THROW(random_resized_crop(picture, 2, 2, 0, {.ratio_low = 0}), InvalidArgument);
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
