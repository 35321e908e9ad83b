// Softmax, cross-entropy and their gradients against the formulae in double.
#include "backends/cpu/kernels/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

using kernels::Rows;

ThreadPool& pool() {
  static ThreadPool two(2);
  return two;
}

const Rows shapes[] = {{1, 1}, {3, 2}, {7, 10}, {1000, 10}, {33, 100}, {5, 1000}, {2, 30522}};

struct Row {
  std::vector<double> softmax, log_softmax;
};
Row reference(const float* x, int64_t columns) {
  Row row;
  const double largest = *std::max_element(x, x + columns);
  double sum = 0;
  for (int64_t j = 0; j < columns; ++j) sum += std::exp(x[j] - largest);
  for (int64_t j = 0; j < columns; ++j) {
    row.log_softmax.push_back(x[j] - largest - std::log(sum));
    row.softmax.push_back(std::exp(x[j] - largest) / sum);
  }
  return row;
}

std::vector<float> logits_for(Rows shape) {
  std::vector<float> x = converted<float>(test_values(shape.rows * shape.columns, 5));
  for (float& value : x) value *= 20;  // from all but certain to impossible
  return x;
}

TEST(Softmax, ForwardAndLog) {
  for (Rows shape : shapes) {
    const std::vector<float> x = logits_for(shape);
    std::vector<float> y(x.size()), in_place = x, logs(x.size());
    kernels::softmax(x.data(), y.data(), shape, pool());
    kernels::softmax(in_place.data(), in_place.data(), shape, pool());
    kernels::log_softmax(x.data(), logs.data(), shape, pool());
    EXPECT_EQ(y, in_place);
    for (int64_t r = 0; r < shape.rows; ++r) {
      const Row wanted = reference(x.data() + r * shape.columns, shape.columns);
      for (int64_t j = 0; j < shape.columns; ++j) {
        const int64_t i = r * shape.columns + j;
        ASSERT_NEAR(y[i], wanted.softmax[j], 4e-6 * wanted.softmax[j] + 1e-40);
        ASSERT_NEAR(logs[i], wanted.log_softmax[j], 5e-6);
      }
    }
  }
}

TEST(Softmax, Gradients) {
  for (Rows shape : shapes) {
    const std::vector<float> x = logits_for(shape);
    const std::vector<float> g = converted<float>(test_values(shape.rows * shape.columns, 6));
    std::vector<float> y(x.size()), logs(x.size()), got(x.size()), got_log(x.size());
    kernels::softmax(x.data(), y.data(), shape, pool());
    kernels::log_softmax(x.data(), logs.data(), shape, pool());
    kernels::softmax_gradient(y.data(), g.data(), got.data(), shape, pool());
    kernels::log_softmax_gradient(logs.data(), g.data(), got_log.data(), shape, pool());
    for (int64_t r = 0; r < shape.rows; ++r) {
      const int64_t at = r * shape.columns;
      const Row row = reference(x.data() + at, shape.columns);
      double dot = 0, sum = 0, size = 0;
      for (int64_t j = 0; j < shape.columns; ++j) {
        dot += row.softmax[j] * g[at + j];
        sum += g[at + j];
        size += std::fabs(g[at + j]);
      }
      for (int64_t j = 0; j < shape.columns; ++j) {
        ASSERT_NEAR(got[at + j], row.softmax[j] * (g[at + j] - dot), 1e-5);
        ASSERT_NEAR(got_log[at + j], g[at + j] - row.softmax[j] * sum, 1e-5 + 1e-6 * size);
      }
    }
  }
}

template <class Label>
void check_cross_entropy(DType label_dtype) {
  for (Rows shape : shapes) {
    const std::vector<float> x = logits_for(shape);
    std::vector<Label> labels(shape.rows);
    for (int64_t r = 0; r < shape.rows; ++r) labels[r] = static_cast<Label>(r * 7 % shape.columns);
    std::vector<float> loss(shape.rows), loss_alone(shape.rows), p(x.size()), gradient(x.size());
    kernels::softmax_cross_entropy(x.data(), labels.data(), label_dtype, loss.data(), p.data(),
                                   shape, pool());
    kernels::softmax_cross_entropy(x.data(), labels.data(), label_dtype, loss_alone.data(), nullptr,
                                   shape, pool());
    const std::vector<float> weight = converted<float>(test_values(shape.rows, 7));
    for (bool uniform : {false, true}) {
      kernels::softmax_cross_entropy_gradient(p.data(), labels.data(), label_dtype, weight.data(),
                                              uniform, gradient.data(), shape, pool());
      for (int64_t r = 0; r < shape.rows; ++r) {
        const Row wanted = reference(x.data() + r * shape.columns, shape.columns);
        ASSERT_NEAR(loss[r], -wanted.log_softmax[labels[r]], 6e-6);
        ASSERT_NEAR(loss_alone[r], -wanted.log_softmax[labels[r]], 6e-6);
        for (int64_t j = 0; j < shape.columns; ++j) {
          const double slope = wanted.softmax[j] - (j == int64_t(labels[r]) ? 1 : 0);
          ASSERT_NEAR(gradient[r * shape.columns + j], slope * weight[uniform ? 0 : r], 3e-6);
        }
      }
    }
  }
}

TEST(SoftmaxCrossEntropy, LossAndGradient) {
  check_cross_entropy<int32_t>(DType::i32);
  check_cross_entropy<int64_t>(DType::i64);
}

TEST(SoftmaxCrossEntropy, LabelsOutOfRangeGiveNan) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<int32_t> labels = {3, 1, -1};
  std::vector<float> loss(3), p(9), gradient(9);
  const float one = 1;
  kernels::softmax_cross_entropy(x.data(), labels.data(), DType::i32, loss.data(), p.data(), {3, 3},
                                 pool());
  kernels::softmax_cross_entropy_gradient(p.data(), labels.data(), DType::i32, &one, true,
                                          gradient.data(), {3, 3}, pool());
  EXPECT_TRUE(std::isnan(loss[0]) && std::isfinite(loss[1]) && std::isnan(loss[2]));
  EXPECT_TRUE(std::isnan(gradient[0]) && std::isfinite(gradient[4]) && std::isnan(gradient[8]));
  EXPECT_THROW(kernels::softmax_cross_entropy(x.data(), labels.data(), DType::f32, loss.data(),
                                              nullptr, {3, 3}, pool()),
               Unimplemented);
}

}  // namespace
}  // namespace systolic
