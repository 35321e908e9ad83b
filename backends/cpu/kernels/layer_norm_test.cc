// Layer normalization and its gradients against the formulae in double.
#include "backends/cpu/kernels/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"

namespace systolic {
namespace {

using kernels::Rows;

ThreadPool& pool(int threads) {
  static ThreadPool one(1), three(3);
  return threads == 1 ? one : three;
}

struct Case {
  Rows shape;
  bool affine;
};
const Case cases[] = {{{1, 1}, true},    {{5, 7}, true},    {{5, 7}, false},
                      {{300, 64}, true}, {{64, 768}, true}, {{700, 50}, false}};

struct Arrays {
  explicit Arrays(const Case& c)
      : x(converted<float>(test_values(c.shape.rows * c.shape.columns, 1))),
        gradient(converted<float>(test_values(c.shape.rows * c.shape.columns, 2))),
        gamma(converted<float>(test_values(c.shape.columns, 3))),
        beta(converted<float>(test_values(c.shape.columns, 4))),
        affine(c.affine) {
    for (float& value : x)
      value = value * 3 + 5;  // far from 0, so that a one-pass variance would show
  }
  const float* gamma_data() const { return affine ? gamma.data() : nullptr; }
  const float* beta_data() const { return affine ? beta.data() : nullptr; }
  double gamma_at(int64_t j) const { return affine ? gamma[j] : 1.0; }
  std::vector<float> x, gradient, gamma, beta;
  bool affine;
};

constexpr double epsilon = 1e-3;

struct Row {
  double mean = 0, rstd = 0;
  std::vector<double> xhat;
};
Row reference(const float* x, int64_t columns) {
  Row row;
  double variance = 0;
  for (int64_t j = 0; j < columns; ++j) row.mean += x[j] / static_cast<double>(columns);
  for (int64_t j = 0; j < columns; ++j) {
    variance += (x[j] - row.mean) * (x[j] - row.mean) / static_cast<double>(columns);
  }
  row.rstd = 1 / std::sqrt(variance + epsilon);
  for (int64_t j = 0; j < columns; ++j) row.xhat.push_back((x[j] - row.mean) * row.rstd);
  return row;
}

TEST(LayerNorm, Forward) {
  for (const Case& c : cases) {
    const Arrays s(c);
    std::vector<float> y(s.x.size()), mean(c.shape.rows), rstd(c.shape.rows);
    kernels::layer_norm(s.x.data(), s.gamma_data(), s.beta_data(), epsilon, y.data(), mean.data(),
                        rstd.data(), c.shape, pool(3));
    for (int64_t r = 0; r < c.shape.rows; ++r) {
      const int64_t at = r * c.shape.columns;
      const Row row = reference(s.x.data() + at, c.shape.columns);
      ASSERT_NEAR(mean[r], row.mean, 3e-6);
      ASSERT_NEAR(rstd[r], row.rstd, 3e-6 * row.rstd);
      for (int64_t j = 0; j < c.shape.columns; ++j) {
        const double shift = c.affine ? s.beta[j] : 0;
        ASSERT_NEAR(y[at + j], row.xhat[j] * s.gamma_at(j) + shift, 5e-6);
      }
    }
  }
}

TEST(LayerNorm, Gradients) {
  for (const Case& c : cases) {
    const Arrays s(c);
    const int64_t rows = c.shape.rows, columns = c.shape.columns;
    std::vector<float> y(s.x.size()), mean(rows), rstd(rows);
    kernels::layer_norm(s.x.data(), s.gamma_data(), s.beta_data(), epsilon, y.data(), mean.data(),
                        rstd.data(), c.shape, pool(1));
    std::vector<double> wanted_gamma(columns), wanted_beta(columns), wanted_input(s.x.size());
    for (int64_t r = 0; r < rows; ++r) {
      const Row row = reference(s.x.data() + r * columns, columns);
      double mean_h = 0, mean_hx = 0;
      for (int64_t j = 0; j < columns; ++j) {
        const double g = s.gradient[r * columns + j], h = g * s.gamma_at(j);
        wanted_gamma[j] += g * row.xhat[j];
        wanted_beta[j] += g;
        mean_h += h / static_cast<double>(columns);
        mean_hx += h * row.xhat[j] / static_cast<double>(columns);
      }
      for (int64_t j = 0; j < columns; ++j) {
        const double h = s.gradient[r * columns + j] * s.gamma_at(j);
        wanted_input[r * columns + j] = row.rstd * (h - mean_h - row.xhat[j] * mean_hx);
      }
    }
    std::vector<float> first_gamma;
    for (int threads : {1, 3}) {
      std::vector<float> input_gradient(s.x.size()), gamma_gradient(columns),
          beta_gradient(columns);
      AlignedBytes scratch(kernels::layer_norm_gradient_scratch_bytes(c.shape));
      kernels::layer_norm_gradient(
          s.x.data(), s.gamma_data(), mean.data(), rstd.data(), s.gradient.data(),
          {input_gradient.data(), gamma_gradient.data(), beta_gradient.data()}, c.shape,
          scratch.data(), pool(threads));
      for (size_t i = 0; i < wanted_input.size(); ++i) {
        ASSERT_NEAR(input_gradient[i], wanted_input[i], 2e-5);
      }
      for (int64_t j = 0; j < columns; ++j) {
        ASSERT_NEAR(gamma_gradient[j], wanted_gamma[j], 1e-4);
        ASSERT_NEAR(beta_gradient[j], wanted_beta[j], 1e-4);
      }
      if (threads == 1) first_gamma = gamma_gradient;
      EXPECT_EQ(gamma_gradient, first_gamma) << "depends on the threads";
    }
  }
}

TEST(LayerNorm, OutputsMayBeLeftOut) {
  const Case c = {{6, 9}, true};
  const Arrays s(c);
  std::vector<float> y = s.x, mean(6, 0.0f), rstd(6, 1.0f);
  kernels::layer_norm(y.data(), nullptr, nullptr, epsilon, y.data(), nullptr, nullptr, c.shape,
                      pool(1));
  for (int64_t r = 0; r < 6; ++r) {
    const Row row = reference(s.x.data() + r * 9, 9);
    for (int64_t j = 0; j < 9; ++j) ASSERT_NEAR(y[r * 9 + j], row.xhat[j], 3e-6);
  }
  std::vector<float> beta_gradient(9), alone(54), with(54);
  AlignedBytes scratch(kernels::layer_norm_gradient_scratch_bytes(c.shape));
  const auto run = [&](kernels::LayerNormGradients outputs) {
    kernels::layer_norm_gradient(s.x.data(), s.gamma.data(), mean.data(), rstd.data(),
                                 s.gradient.data(), outputs, c.shape, scratch.data(), pool(1));
  };
  run({alone.data(), nullptr, nullptr});
  run({with.data(), nullptr, beta_gradient.data()});
  EXPECT_EQ(alone, with);
  EXPECT_NE(beta_gradient, std::vector<float>(9));
}

}  // namespace
}  // namespace systolic
