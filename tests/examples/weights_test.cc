// How weights start, and what holds them in bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

struct Spread {
  double largest = 0, deviation = 0;
};
Spread spread_of(const Literal& weights) {
  Spread spread;
  for (const double weight : numbers(weights)) {
    spread.largest = std::max(spread.largest, std::abs(weight));
    spread.deviation += weight * weight / static_cast<double>(weights.size());
  }
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

// 100 inputs, 300 outputs: by the papers the variance is 2 / 400 (Glorot), 2 / 100 (He) or 1 / 100
// (LeCun). Of 30,000 draws the deviation is known to half a percent.
TEST(InitializerExamples, SpreadOfWeights) {
  const GlorotUniform glorot_uniform{.seed = 1};
  const GlorotNormal glorot_normal{.seed = 1};
  const HeUniform he_uniform{.seed = 1};
  const HeNormal he_normal{.seed = 1};
  const LecunUniform lecun_uniform{.seed = 1};
  const LecunNormal lecun_normal{.seed = 1};
  const TruncatedNormal truncated{.mean = 0, .stddev = 0.05, .seed = 1};
  struct Case {
    Initializer initializer;
    double deviation, limit;  // the limit in deviations
  };
  const double root_of_3 = std::sqrt(3.0), two_before_the_cut = 2 / 0.87962566103423978;
  const Case cases[] = {
      {glorot_uniform, std::sqrt(2.0 / 400), root_of_3},
      {he_uniform, std::sqrt(2.0 / 100), root_of_3},
      {lecun_uniform, std::sqrt(1.0 / 100), root_of_3},
      {glorot_normal, std::sqrt(2.0 / 400), two_before_the_cut},
      {he_normal, std::sqrt(2.0 / 100), two_before_the_cut},
      {lecun_normal, std::sqrt(1.0 / 100), two_before_the_cut},
      {truncated, 0.05 * 0.87962566103423978, two_before_the_cut},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.initializer.name());
    const Spread spread = spread_of(c.initializer({100, 300}, 5));
    EXPECT_NEAR(spread.deviation, c.deviation, 0.03 * c.deviation);
    EXPECT_LE(spread.largest, c.limit * c.deviation * (1 + 1e-6));
    EXPECT_GT(spread.largest, 0.98 * c.limit * c.deviation);
  }
}

TEST(InitializerExamples, VarianceScalingIsTheRuleBehindThem) {
  const Fans fans = fans_of({3, 3, 4, 8});  // a kernel of 3 x 3, from 4 channels to 8
  EXPECT_EQ(fans.in, 36);
  EXPECT_EQ(fans.out, 72);
  const Choice<FanNames> outputs = "fan_out";
  const Choice<DistributionNames> even = "uniform";
  const VarianceScaling scaled{.scale = 3, .mode = outputs, .distribution = even};
  EXPECT_LE(spread_of(scaled({100, 300}, 5)).largest, std::sqrt(3 * 3.0 / 300));
  EXPECT_NEAR(spread_of(scaled({100, 300}, 5)).deviation, std::sqrt(3.0 / 300), 0.003);
}

TEST(InitializerExamples, ZerosAndFunctions) {
  static_assert(InitializerSpec<Zeros>);
  const Zeros nothing{};
  expect_numbers(nothing({2}, 0), {0, 0});
  const Initializer own = [](const Shape& shape, uint64_t) {
    return Literal::filled(DType::f32, shape, 0.5);
  };
  expect_numbers(own({2}, 0), {0.5, 0.5});
}

TEST(InitializerExamples, WavesUnderAWindow) {
  const SignalWindow hann = "hann";
  expect_numbers(window_values(hann, 4, /*periodic=*/true), {0, 0.5, 1, 0.5});
  expect_numbers(window_values(hann, 5, /*periodic=*/false), {0, 0.5, 1, 0.5, 0});

  const Choice<StftSideNames> cosines = "real";
  const StftScaling as_they_are = "none";
  const STFT waves{.side = cosines, .window = "none", .scaling = as_they_are};
  // Four samples of the frequencies 0, 1 and 2.
  expect_numbers(waves({4, 1, 3}, 0), {1, 1, 1, 1, 0, -1, 1, -1, 1, 1, 0, -1});
}

TEST(ConstraintExamples, KeepWeightsInBounds) {
  static_assert(ConstraintSpec<NonNeg>);
  const NonNeg positive{};
  expect_numbers(positive(constant({-1.f, 2.f})), {0, 2});
  const Constraint own = [](const Tensor& weight) { return clip(weight, -1, 1); };
  expect_numbers(own(constant({-3.f, 0.5f})), {-1, 0.5});
}

TEST(RegularizerExamples, OutputsAreAveragedOverTheirRealRows) {
  const Regularizer squares{.l2 = 0.5};
  const Tensor outputs = constant({{1.f, 2.f}, {3.f, 4.f}, {9.f, 9.f}});
  const Tensor real = constant({true, true, false});
  expect_numbers(mean_over_examples(squares, outputs, real), {0.5 * (5 + 25) / 2});
}

}  // namespace
}  // namespace systolic
