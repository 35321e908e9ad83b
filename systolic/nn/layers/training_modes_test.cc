// What layers do only while training: random masks by their statistics, batch statistics by plain
// loops in double.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/layers/all.h"
#include "systolic/nn/network/network.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

const CallOptions training{.training = true};

struct Moments2 {
  double mean = 0, variance = 0;
};
Moments2 moments_of(const std::vector<double>& values) {
  Moments2 result;
  for (const double x : values) result.mean += x / static_cast<double>(values.size());
  for (const double x : values) {
    result.variance += (x - result.mean) * (x - result.mean) / static_cast<double>(values.size());
  }
  return result;
}

std::vector<double> numbers_of(const Literal& literal) {
  std::vector<double> result;
  for (int64_t i = 0; i < literal.size(); ++i) result.push_back(literal.number_at(i));
  return result;
}

TEST(DropoutTest, DropsTheRateAndScalesTheRest) {
  set_seed(3);
  for (const double rate : {0.1, 0.5, 0.9}) {
    const Layer dropout = Dropout{.rate = rate};
    const Literal y = dropout(ones({200, 100}), training).literal();
    int64_t dropped = 0;
    for (const double value : numbers_of(y)) {
      if (value == 0) {
        ++dropped;
      } else {
        EXPECT_NEAR(value, 1 / (1 - rate), 1e-5);
      }
    }
    // Five standard deviations of a binomial of 20,000.
    const double deviation = std::sqrt(20000 * rate * (1 - rate));
    EXPECT_NEAR(static_cast<double>(dropped), 20000 * rate, 5 * deviation) << "rate " << rate;
  }
}

TEST(DropoutTest, DrawsAnewAtEachCallButAlikeForOneKey) {
  set_seed(4);
  const Layer dropout = Dropout{.rate = 0.5};
  const Tensor x = ones({50, 20});
  EXPECT_FALSE(dropout(x, training).literal() == dropout(x, training).literal());
  const CallOptions keyed{.training = true, .random_key = Tensor(Literal::of<uint64_t>({9, 1}))};
  EXPECT_EQ(dropout(x, keyed).literal(), dropout(x, keyed).literal());
  EXPECT_EQ(dropout(x).literal(), x.literal());
  // Two layers of one network draw differently.
  const Symbol in = input({.shape = {20}});
  const Network two({in}, {Dropout{.rate = 0.5}(in), Dropout{.rate = 0.5}(in)});
  const std::vector<Tensor> both = two.outputs({x}, keyed);
  EXPECT_FALSE(both.at(0).literal() == both.at(1).literal());
}

TEST(DropoutTest, SharesTheMaskAlongAxesOfOne) {
  set_seed(5);
  const Layer dropout = Dropout{.rate = 0.5, .noise_shape = {-1, 1, -1}};
  const Literal y = dropout(ones({8, 5, 6}), training).literal();
  for (int64_t row = 0; row < 8; ++row) {
    for (int64_t step = 1; step < 5; ++step) {
      for (int64_t k = 0; k < 6; ++k) {
        EXPECT_EQ(y.number_at((row * 5 + step) * 6 + k), y.number_at(row * 5 * 6 + k));
      }
    }
  }
}

TEST(DropoutTest, TheGradientGoesThroughWhatWasKept) {
  set_seed(6);
  const Layer dropout = Dropout{.rate = 0.25};
  const Tensor x = ones({20, 10});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = dropout(x, training);
  EXPECT_EQ(tape.gradient(sum(y), x).literal(), y.literal());
}

TEST(DropoutTest, TakesRatesFromZeroToOne) {
  const Tensor x = ones({2, 3});
  EXPECT_EQ(Layer(Dropout{.rate = 0.0})(x, training).literal(), x.literal());
  EXPECT_EQ(Layer(Dropout{.rate = 1.0})(x, training).literal(), zeros({2, 3}).literal());
  EXPECT_THROW(Layer(Dropout{.rate = 1.5})(x, training), InvalidArgument);
  EXPECT_THROW(Layer(Dropout{.rate = -0.1})(x), InvalidArgument);
}

TEST(GaussianNoiseTest, HasTheDeviationThatIsAskedFor) {
  set_seed(7);
  const Layer noise = GaussianNoise{.stddev = 0.5};
  const Moments2 found = moments_of(numbers_of(noise(zeros({100, 100}), training).literal()));
  // Five standard deviations of the mean and of the variance over 10,000.
  EXPECT_NEAR(found.mean, 0, 5 * 0.5 / 100);
  EXPECT_NEAR(found.variance, 0.25, 5 * 0.25 * std::sqrt(2.0) / 100);
}

TEST(RandomFlipTest, FlipsAboutHalfOfTheImagesAsWholes) {
  set_seed(8);
  const Literal x = host_normal({400, 2, 3, 1}, 0, 1, 1);
  const Literal y = Layer(RandomFlip{.mode = "horizontal"})(Tensor(x), training).literal();
  int flipped = 0;
  for (int64_t image = 0; image < 400; ++image) {
    const auto same = [&](const std::function<int64_t(int64_t)>& column) {
      for (int64_t row = 0; row < 2; ++row) {
        for (int64_t k = 0; k < 3; ++k) {
          const int64_t line = (image * 2 + row) * 3;
          if (y.number_at(line + k) != x.number_at(line + column(k))) return false;
        }
      }
      return true;
    };
    const bool kept = same([](int64_t k) { return k; });
    EXPECT_NE(kept, same([](int64_t k) { return 2 - k; })) << "image " << image;
    flipped += kept ? 0 : 1;
  }
  EXPECT_NEAR(flipped, 200, 5 * 10);
}

// The channel's values in the rows that count.
std::vector<double> channel(const Literal& x, int64_t which, int64_t rows) {
  std::vector<double> values;
  const int64_t channels = x.shape()[-1], each = x.size() / x.shape()[0];
  for (int64_t i = which; i < rows * each; i += channels) values.push_back(x.number_at(i));
  return values;
}

TEST(BatchNormalizationTest, TakesTheStatisticsOfTheRowsThatCount) {
  for (const int64_t rows : {int64_t{6}, int64_t{4}}) {
    const Literal x = host_normal({6, 2, 3}, 1.5, 2, 11);
    const Network network(std::vector<Layer>{Input{.shape = {2, 3}},
                                             BatchNormalization{.momentum = 0.9, .epsilon = 0.01}},
                          {});
    CallOptions options = training;
    if (rows < 6) options.sample_mask = Literal::of<bool>({true, true, true, true, false, false});
    const Literal y = network(Tensor(x), options).literal();
    const Literal mean = network.weights().at(2).literal();
    const Literal variance = network.weights().at(3).literal();
    for (int64_t k = 0; k < 3; ++k) {
      const Moments2 wanted = moments_of(channel(x, k, rows));
      EXPECT_NEAR(mean.number_at(k), 0.1 * wanted.mean, 1e-5);
      EXPECT_NEAR(variance.number_at(k), 0.9 + 0.1 * wanted.variance, 1e-5);
      for (int64_t i = k; i < rows * 6; i += 3) {
        EXPECT_NEAR(y.number_at(i),
                    (x.number_at(i) - wanted.mean) / std::sqrt(wanted.variance + 0.01), 1e-5);
      }
    }
  }
}

TEST(BatchNormalizationTest, FrozenItKeepsToTheMovingAverages) {
  const Network network(std::vector<Layer>{Input{.shape = {2}}, BatchNormalization{.epsilon = 0.0}},
                        {});
  network.set_trainable(false);
  const Tensor x = constant({{1.f, 2.f}, {3.f, 5.f}});
  EXPECT_EQ(network(x, training).literal(), x.literal());
  EXPECT_EQ(network.weights().at(2).literal(), zeros({2}).literal());
}

// A kernel of singular values 3 and 1 becomes one of 1 and 1/3, and its gradient is that of a
// Dense.
TEST(SpectralNormalizationTest, DividesTheKernelByItsLargestSingularValue) {
  const auto kernel = [](const Shape&, uint64_t) { return Literal::of<float>({{0, -3}, {1, 0}}); };
  const Layer layer = SpectralNormalization{
      .layer = Dense{.units = 2, .kernel_initializer = kernel}, .power_iterations = 40};
  const Tensor x(Literal::of<float>({{1, 0}, {0, 1}}));
  EXPECT_EQ(layer(x).literal(), Literal::of<float>({{0, -3}, {1, 0}}));  // not while it predicts
  GradientTape tape;
  const Tensor y = layer(x, training);
  const Tensor gradient = tape.gradient(sum(y * y), layer.weights().at(1));
  const std::vector<double> wanted{0, -1, 1 / 3.0, 0};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(y.literal().number_at(i), wanted[static_cast<size_t>(i)], 1e-6);
    EXPECT_NEAR(gradient.literal().number_at(i), 2 * wanted[static_cast<size_t>(i)], 1e-6);
  }
  EXPECT_EQ(layer(x).literal(), y.literal());
}

TEST(SpectralNormalizationTest, LeavesAKernelOfZeros) {
  const Layer layer =
      SpectralNormalization{.layer = Dense{.units = 2, .kernel_initializer = "zeros"}};
  const Tensor x = ones({1, 3});
  EXPECT_EQ(layer(x, training).literal(), Literal::of<float>({{0, 0}}));
  EXPECT_THROW(Layer(SpectralNormalization{.layer = ReLU{}})(x), InvalidArgument);
}

}  // namespace
}  // namespace systolic
