// What keras.ops has besides the functions that are compared with Keras (tests/golden): values by
// hand, and the moments of what is drawn.
#include "systolic/ops/ops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "systolic/ops/random.h"

namespace systolic {
namespace {

Literal three() { return Literal::of<float>({1, 2, 3}); }

TEST(Ops, MakeArrays) {
  const Tensor x = ops::array(three());
  EXPECT_TRUE(ops::is_tensor(x));
  EXPECT_EQ(ops::convert_to_numpy(x), three());
  EXPECT_EQ(ops::empty({2, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(ops::empty_like(x).shape(), (Shape{3}));
  EXPECT_EQ(ops::full({2}, 7).literal(), Literal::of<float>({7, 7}));
  EXPECT_EQ(ops::full_like(x, 4).literal(), Literal::of<float>({4, 4, 4}));
  EXPECT_EQ(ops::identity(2).literal(), Literal::of<float>({{1, 0}, {0, 1}}));
  EXPECT_EQ(ops::copy(x).literal(), three());
  EXPECT_EQ(ops::shape(x), (Shape{3}));
  EXPECT_EQ(ops::size(x), 3);
  EXPECT_EQ(ops::ndim(x), 1);
  EXPECT_EQ(ops::dtype(x), DType::f32);
}

TEST(Ops, MoveElements) {
  const Tensor x = Literal::of<float>({{1, 2}, {3, 4}});
  EXPECT_EQ(ops::hsplit(x, 2)[1].literal(), Literal::of<float>({{2}, {4}}));
  EXPECT_EQ(ops::vsplit(x, 2)[1].literal(), Literal::of<float>({{3, 4}}));
  EXPECT_EQ(ops::dsplit(reshape(x, {1, 2, 2}), 2)[0].literal(),
            Tensor(Literal::of<float>({1, 3})).literal().reshape({1, 2, 1}));
  EXPECT_EQ(ops::flip(x).literal(), Literal::of<float>({{4, 3}, {2, 1}}));
  EXPECT_EQ(ops::flip(x, {1}).literal(), Literal::of<float>({{2, 1}, {4, 3}}));
  EXPECT_EQ(ops::concatenate({x, x}).shape(), (Shape{4, 2}));
}

TEST(Ops, CountBits) {
  const Tensor x = Literal::of<int32_t>({1, 6});
  EXPECT_EQ(ops::bitwise_not(x).literal(), Literal::of<int32_t>({-2, -7}));
  EXPECT_EQ(ops::left_shift(x, 2).literal(), Literal::of<int32_t>({4, 24}));
  EXPECT_EQ(ops::right_shift(x, 1).literal(), Literal::of<int32_t>({0, 3}));
}

TEST(Ops, ComplexNumbersHaveParts) {
  const Tensor z = ops::polar(Tensor(Literal::of<float>({2})), Tensor(Literal::of<float>({0})));
  EXPECT_EQ(ops::real(ops::conjugate(z)).literal(), Literal::of<float>({2}));
  const Tensor pairs = Literal::of<float>({{1, -2}});
  EXPECT_EQ(ops::view_as_real(ops::view_as_complex(pairs)).literal(), pairs.literal());
}

TEST(Ops, CompareWithinATolerance) {
  const ops::CloseOptions near{.rtol = 0, .atol = 0.5};
  const Tensor x = ops::array(three());
  EXPECT_TRUE(ops::allclose(x, x + 0.25, near).item<bool>());
  EXPECT_FALSE(ops::allclose(x, x + 1, near).item<bool>());
  const ops::NanToNum zeros{.nan = 0};
  EXPECT_EQ(ops::nan_to_num(Tensor(Literal::of<float>({NAN, 1})), zeros).literal(),
            Literal::of<float>({0, 1}));
}

TEST(Ops, Loop) {
  const Tensors sum = ops::fori_loop(
      0, 5, [](const Tensor& i, const Tensors& state) { return Tensors{state[0] + i}; },
      {constant(0)});
  EXPECT_EQ(sum[0].item<int32_t>(), 10);
  const Tensor x = ops::array(three());
  EXPECT_EQ(ops::vectorized_map([](const Tensor& one) { return one * 2; }, x).literal(),
            Literal::of<float>({2, 4, 6}));
  const ops::ScanStep add = [](const Tensors& carry, const Tensor& one) {
    return std::pair(Tensors{carry[0] + one}, carry[0]);
  };
  const ops::Scanned scanned = ops::scan(add, {constant(0.0)}, x);
  EXPECT_EQ(scanned.carry[0].item<float>(), 6);
  EXPECT_EQ(scanned.ys.literal(), Literal::of<float>({0, 1, 3}));
  const auto branch = [](double value) { return [value] { return Tensors{constant(value)}; }; };
  EXPECT_EQ(ops::switch_case(constant(1), {branch(5), branch(7)})[0].item<float>(), 7);
  EXPECT_EQ(ops::switch_case(constant(9), {branch(5), branch(7)})[0].item<float>(), 7);
}

TEST(Ops, FoldAndOrder) {
  const Tensor x = Literal::of<float>({3, NAN, 1, 2});
  EXPECT_EQ(ops::nanargmin(x).item<int32_t>(), 2);
  EXPECT_EQ(ops::nancumprod(x).literal(), Literal::of<float>({3, 3, 3, 6}));
  EXPECT_EQ(ops::nanpercentile(x, 50).item<float>(), 2);
  EXPECT_EQ(
      ops::percentile(ops::array(three()), 50, {}, ops::QuantileMethod("lower")).item<float>(), 2);
  const ops::Moments moments = ops::moments(ops::array(three()));
  EXPECT_EQ(moments.mean.item<float>(), 2);
  EXPECT_NEAR(moments.variance.item<float>(), 2.0 / 3, 1e-6);
  const Tensor ids = Literal::of<int32_t>({0, 1, 1});
  EXPECT_EQ(ops::segment_min(ops::array(three()), ids, 2).literal(), Literal::of<float>({1, 2}));
  EXPECT_EQ(ops::segment_prod(ops::array(three()), ids, 2).literal(), Literal::of<float>({1, 6}));
  EXPECT_EQ(ops::argpartition(Tensor(Literal::of<float>({5, 1, 4})), 0).literal().number_at(0), 1);
  const ops::Histogram bins = ops::histogram(ops::array(three()), 2);
  EXPECT_EQ(bins.counts.literal(), Literal::of<int32_t>({1, 2}));
}

// A sample's mean and deviation within six standard errors of those of its distribution.
TEST(Ops, WhatIsDrawnHasTheMomentsOfItsDistribution) {
  constexpr int64_t count = 40000;
  const Shape shape{count};
  const struct {
    const char* name;
    Tensor drawn;
    double mean, variance;
  } cases[] = {
      {"normal", ops::random::normal(shape, 2, 3), 2, 9},
      {"uniform", ops::random::uniform(shape, -1, 3), 1, 16.0 / 12},
      {"randint", ops::random::randint(shape, 0, 4), 1.5, 1.25},
      {"gamma", ops::random::gamma(shape, 2.5), 2.5, 2.5},
      {"beta", ops::random::beta(shape, 2, 3), 0.4, 0.04},
      {"binomial", ops::random::binomial(shape, 10, 0.3), 3, 2.1},
      {"dropout", ops::random::dropout(ones(shape), 0.25), 1, 1.0 / 3},
      {"categorical", ops::random::categorical(log(Tensor(Literal::of<float>({{1, 3}}))), count),
       0.75, 0.1875},
  };
  for (const auto& [name, drawn, mean_wanted, variance_wanted] : cases) {
    const ops::Moments got = ops::moments(cast(drawn, DType::f32));
    const double error = 6 * std::sqrt(variance_wanted / count);
    EXPECT_NEAR(got.mean.item<float>(), mean_wanted, error) << name;
    // The variance of a sample variance is at most (kurtosis - 1) / count, and no kurtosis here is
    // above 9.
    EXPECT_NEAR(got.variance.item<float>(), variance_wanted,
                6 * variance_wanted * std::sqrt(8.0 / count))
        << name;
  }
}

TEST(Ops, ShuffledElementsAreTheSame) {
  Literal shuffled = ops::random::shuffle(range(100)).literal();
  const std::span<int32_t> values = shuffled.mutable_data<int32_t>();
  EXPECT_FALSE(std::is_sorted(values.begin(), values.end()));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(shuffled, range(100).literal());
}

}  // namespace
}  // namespace systolic
