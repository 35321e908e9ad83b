// Initializers by the moments and bounds that Keras documents, over 19,200 values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/constant.h"
#include "systolic/nn/initializers/initializer.h"
#include "systolic/nn/initializers/orthogonal.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/initializers/random_uniform.h"
#include "systolic/nn/initializers/truncated_normal.h"
#include "systolic/nn/initializers/variance_scaling.h"

namespace systolic {
namespace {

// A convolution's kernel: 3 x 4 positions, 20 channels in and 80 out, 19,200 values.
const Shape kernel{3, 4, 20, 80};
constexpr double fan_in = 3 * 4 * 20, fan_out = 3 * 4 * 80, fan_average = (fan_in + fan_out) / 2;
// The standard deviation of a standard normal without what lies beyond two.
constexpr double cut = 0.879625661;
constexpr double unbounded = std::numeric_limits<double>::infinity();

struct InitializerCase {
  const char* name;
  Initializer initializer;
  double mean, stddev, bound;  // of the distance from the mean
};

InitializerCase uniform(const char* name, Initializer initializer, double limit) {
  return {name, std::move(initializer), 0, limit / std::sqrt(3.0), limit};
}
// Cut at two of its own deviations so that `stddev` is left.
InitializerCase truncated(const char* name, Initializer initializer, double stddev) {
  return {name, std::move(initializer), 0, stddev, 2 * stddev / cut};
}

std::vector<InitializerCase> cases() {
  return {
      uniform("glorot uniform", "glorot_uniform", std::sqrt(6 / (fan_in + fan_out))),
      truncated("glorot normal", "glorot_normal", std::sqrt(2 / (fan_in + fan_out))),
      uniform("he uniform", "he_uniform", std::sqrt(6 / fan_in)),
      truncated("he normal", "he_normal", std::sqrt(2 / fan_in)),
      uniform("lecun uniform", "lecun_uniform", std::sqrt(3 / fan_in)),
      truncated("lecun normal", "lecun_normal", std::sqrt(1 / fan_in)),
      uniform("random uniform", "random_uniform", 0.05),
      {"random normal", "random_normal", 0, 0.05, unbounded},
      truncated("truncated normal", "truncated_normal", 0.05 * cut),
      {"normal around 1", RandomNormal{.mean = 1, .stddev = 2}, 1, 2, unbounded},
      {"uniform from 1 to 3", RandomUniform{.minval = 1, .maxval = 3}, 2, 1 / std::sqrt(3.0), 1},
      {"variance scaling, untruncated",
       VarianceScaling{.scale = 3, .mode = "fan_out", .distribution = "untruncated_normal"}, 0,
       std::sqrt(3 / fan_out), unbounded},
      uniform("variance scaling, average",
              VarianceScaling{.scale = 0.5, .mode = "fan_avg", .distribution = "uniform"},
              std::sqrt(3 * 0.5 / fan_average)),
  };
}

TEST(InitializersTest, HaveTheMomentsAndBoundsThatKerasDocuments) {
  for (const InitializerCase& one : cases()) {
    SCOPED_TRACE(one.name);
    const Literal values = one.initializer(kernel, 77);
    ASSERT_EQ(values.shape(), kernel);
    const auto count = static_cast<double>(values.size());
    double mean = 0, square = 0, farthest = 0;
    for (int64_t i = 0; i < values.size(); ++i) {
      const double off = values.number_at(i) - one.mean;
      mean += off / count;
      square += off * off / count;
      farthest = std::max(farthest, std::abs(off));
    }
    // Five standard deviations of the mean, and of the variance of a normal (the widest here).
    const double variance = one.stddev * one.stddev;
    EXPECT_NEAR(mean, 0, 5 * one.stddev / std::sqrt(count));
    EXPECT_NEAR(square, variance, 5 * variance * std::sqrt(2 / count));
    EXPECT_LE(farthest, one.bound * (1 + 1e-6));
    if (one.bound < unbounded) {
      EXPECT_GT(farthest, 0.99 * one.bound);
    }
    EXPECT_EQ(one.initializer(kernel, 77), values);
    EXPECT_FALSE(one.initializer(kernel, 78) == values);
  }
}

TEST(InitializersTest, ASeedOfTheirOwnGoesBeforeTheLayers) {
  const Initializer seeded = RandomNormal{.seed = 3};
  EXPECT_EQ(seeded({4, 5}, 1), seeded({4, 5}, 2));
}

TEST(InitializersTest, ConstantsAndTheIdentity) {
  EXPECT_EQ(Initializer("zeros")({2, 2}, 1), Literal::of<float>({{0, 0}, {0, 0}}));
  EXPECT_EQ(Initializer("ones")({2}, 1), Literal::of<float>({1, 1}));
  EXPECT_EQ(Initializer(Constant{0.25})({2}, 1), Literal::of<float>({0.25, 0.25}));
  EXPECT_EQ(Initializer("identity")({2, 3}, 1), Literal::of<float>({{1, 0, 0}, {0, 1, 0}}));
  EXPECT_THROW(Initializer("identity")({2, 3, 4}, 1), InvalidArgument);
}

// The product of the matrix (or of its transpose, if it is wide) with itself.
TEST(InitializersTest, OrthogonalOnesHaveOrthonormalRowsOrColumns) {
  for (const Shape& shape : {Shape{6, 4}, Shape{4, 6}, Shape{2, 3, 4}}) {
    const Literal q = Initializer(Orthogonal{.gain = 2})(shape, 5);
    const int64_t columns = shape[-1], rows = shape.elements() / columns;
    const bool tall = rows >= columns;
    const int64_t few = tall ? columns : rows, many = tall ? rows : columns;
    const auto at = [&](int64_t one, int64_t along) {
      return q.number_at(tall ? along * columns + one : one * columns + along);
    };
    for (int64_t i = 0; i < few; ++i) {
      for (int64_t j = 0; j < few; ++j) {
        double product = 0;
        for (int64_t k = 0; k < many; ++k) product += at(i, k) * at(j, k);
        EXPECT_NEAR(product, i == j ? 4 : 0, 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace systolic
