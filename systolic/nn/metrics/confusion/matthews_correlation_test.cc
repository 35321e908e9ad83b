// Matthews' correlation against the covariance of one-hot classes in double precision: for two
// classes that is Pearson's correlation.
#include "systolic/nn/metrics/confusion/matthews_correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

struct Sample {
  int is, said;
  double weight;
};

// cov(X, Y) / sqrt(cov(X, X) cov(Y, Y)) of the one-hot rows X and Y, summed over classes.
double correlation(const std::vector<Sample>& samples, int classes) {
  double weights = 0;
  for (const Sample& sample : samples) weights += sample.weight;
  double xy = 0, xx = 0, yy = 0;
  for (int k = 0; k < classes; ++k) {
    double mean_x = 0, mean_y = 0;
    for (const Sample& s : samples) {
      mean_x += s.weight * (s.is == k) / weights;
      mean_y += s.weight * (s.said == k) / weights;
    }
    for (const Sample& s : samples) {
      const double x = (s.is == k) - mean_x, y = (s.said == k) - mean_y;
      xy += s.weight * x * y, xx += s.weight * x * x, yy += s.weight * y * y;
    }
  }
  return xx * yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

TEST(MatthewsCorrelation, IsTheCorrelationOfOneHotClasses) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (const int64_t classes : {2, 3, 5}) {
    const Metric metric = MatthewsCorrelation{.num_classes = classes};
    std::vector<Sample> samples;
    for (const int64_t rows : {7, 12, 3}) {
      std::vector<int32_t> labels;
      std::vector<float> scores, weights;
      for (int64_t i = 0; i < rows; ++i) {
        labels.push_back(static_cast<int32_t>(random() % static_cast<uint64_t>(classes)));
        weights.push_back(static_cast<float>(random() % 3));
        int said = 0;
        for (int64_t k = 0; k < classes; ++k) {
          scores.push_back(uniform(random) + (k == labels.back() ? 0.3f : 0.f));
          const float* row = scores.data() + i * classes;
          if (row[k] > row[said]) said = static_cast<int>(k);
        }
        samples.push_back({labels.back(), said, weights.back()});
      }
      metric.update_state(Literal::from(labels, {rows}), Literal::from(scores, {rows, classes}),
                          {.sample_weight = Tensor(Literal::from(weights, {rows}))});
      // Quotients of counts in f32, squares of which cancel.
      EXPECT_NEAR(metric.result().item<float>(), correlation(samples, static_cast<int>(classes)),
                  1e-5);
    }
  }
}

TEST(MatthewsCorrelation, TakesOneScoreForTwoClassesAndLeavesOutOtherLabels) {
  const Metric metric = MatthewsCorrelation{.threshold = 0};
  metric.update_state(Literal::of<int32_t>({{1}, {1}, {0}, {0}, {1}, {-100}}),
                      Literal::of<float>({{2}, {0.1f}, {-1}, {3}, {0}, {9}}));
  // TP 2, FN 1, TN 1, FP 1.
  EXPECT_NEAR(metric.result().item<float>(), (2. * 1 - 1 * 1) / std::sqrt(3. * 3 * 2 * 2), 1e-6);
}

TEST(MatthewsCorrelation, IsZeroWhereOneSideNeverVaries) {
  const Metric metric = MatthewsCorrelation{};
  EXPECT_EQ(metric.result().item<float>(), 0);
  metric.update_state(Literal::of<int32_t>({1, 0}), Literal::of<float>({0.9f, 0.8f}));
  EXPECT_EQ(metric.result().item<float>(), 0);
}

TEST(MatthewsCorrelation, RefusesWhatDoesNotFit) {
  const Metric three = MatthewsCorrelation{.num_classes = 3}, one = MatthewsCorrelation{1};
  const Literal labels = Literal::of<int32_t>({1, 0}), scores = Literal::of<float>({0.9f, 0.8f});
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { three.update_state(labels, scores); }),
                  "predictions [batch, ..., num_classes]");
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { one.update_state(labels, scores); }),
                  "num_classes is 1");
}

}  // namespace
}  // namespace systolic
