// F scores from class numbers against counts in plain loops, and what they refuse. Keras's forms
// are compared with Keras in tests/golden.
#include "systolic/nn/metrics/confusion/f_beta_score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "systolic/base/test_errors.h"
#include "systolic/nn/metrics/confusion/f1_score.h"

namespace systolic {
namespace {

struct Sample {
  int is, said;
  double weight;
};

struct Counts {
  double right = 0, wrong = 0, missed = 0;

  double score(double beta) const {
    const double twice = (1 + beta * beta) * right;
    return twice == 0 ? 0 : twice / (twice + beta * beta * missed + wrong);
  }
};

Counts counts_of(const std::vector<Sample>& samples, int which) {
  Counts counts;
  for (const Sample& sample : samples) {
    const bool is = sample.is == which, said = sample.said == which;
    if (is && said) counts.right += sample.weight;
    if (!is && said) counts.wrong += sample.weight;
    if (is && !said) counts.missed += sample.weight;
  }
  return counts;
}

TEST(FBetaScore, CountsClassNumbersAsPlainLoopsDo) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const int64_t classes : {2, 3, 6}) {
    const Metric each = FBetaScore{.beta = 2}, macro = F1Score{.average = "macro"};
    std::vector<Sample> samples;
    for (const int64_t rows : {9, 30}) {
      std::vector<int32_t> labels;
      std::vector<float> scores, weights;
      for (int64_t i = 0; i < rows; ++i) {
        labels.push_back(i % 7 == 0 ? -100 : static_cast<int32_t>(i * i % classes));
        weights.push_back(static_cast<float>(random() % 3));
        for (int64_t k = 0; k < classes; ++k) scores.push_back(uniform(random));
        const float* row = scores.data() + i * classes;
        const auto said = static_cast<int>(std::max_element(row, row + classes) - row);
        if (labels.back() >= 0) samples.push_back({labels.back(), said, weights.back()});
      }
      for (const Metric& metric : {each, macro})
        metric.update_state(Literal::from(labels, {rows}), Literal::from(scores, {rows, classes}),
                            {.sample_weight = Tensor(Literal::from(weights, {rows}))});
    }
    const Literal got = each.result().literal();
    double mean = 0;
    for (int k = 0; k < classes; ++k) {
      const Counts counts = counts_of(samples, k);
      // Keras's 1e-7 in denominators, beside rounding.
      EXPECT_NEAR(got.number_at(k), counts.score(2), 2e-6) << "class " << k << " of " << classes;
      mean += counts.score(1) / static_cast<double>(classes);
    }
    EXPECT_NEAR(macro.result().item<float>(), mean, 2e-6);
  }
}

TEST(FBetaScore, TakesAClassForEachTokenWithTheWeightOfEach) {
  const Metric metric = F1Score{.average = "binary"};
  metric.update_state(Literal::of<int32_t>({{1, 1, 0}, {0, 1, -100}}),
                      Literal::from<float>({0, 1, 1, 0, 0, 1, 2, 1, 0, 3, 0, 9}, {2, 3, 2}),
                      {.sample_weight = Tensor(Literal::of<float>({{1, 1, 1}, {1, 0, 1}}))});
  // TP 1, FN 1, FP 1; the fifth token weighs nothing and the last one has no label.
  EXPECT_NEAR(metric.result().item<float>(), 0.5, 1e-6);
}

TEST(FBetaScore, OfLogitsTheThresholdIsZero) {
  const Metric metric = F1Score{.average = "binary", .threshold = 0};
  metric.update_state(Literal::of<int32_t>({{1}, {1}, {0}}), Literal::of<float>({{2}, {-1}, {-3}}));
  EXPECT_NEAR(metric.result().item<float>(), 2. / 3, 1e-6);
  metric.reset_state();
  EXPECT_EQ(metric.result().item<float>(), 0);
}

// One output of two classes: labels [batch] are those of [batch, 1], and what is below 0 is none.
TEST(FBetaScore, OfOneColumnTakesLabelsOfTheBatch) {
  const Literal scores = Literal::of<float>({{0.9f}, {0.2f}, {0.8f}, {0.7f}});
  for (const Literal& labels :
       {Literal::of<int32_t>({1, 1, 0, -100}), Literal::of<int32_t>({{1}, {1}, {0}, {-100}})}) {
    const Metric metric = F1Score{.average = "binary", .threshold = 0.5};
    metric.update_state(labels, scores);
    EXPECT_NEAR(metric.result().item<float>(), 0.5, 1e-6) << to_string(labels.shape());
  }
}

TEST(FBetaScore, TakesClassNumbersInAColumnAndThresholdsOfThem) {
  const Literal labels = Literal::of<int32_t>({{0}, {2}}),
                scores = Literal::of<float>({{0.9f, 0.8f, 0}, {0.1f, 0.2f, 0.3f}});
  const Metric largest = F1Score{}, above = F1Score{.threshold = 0.5};
  for (const Metric& metric : {largest, above}) metric.update_state(labels, scores);
  EXPECT_NEAR(largest.result().literal().number_at(2), 1, 1e-6);
  EXPECT_NEAR(largest.result().literal().number_at(1), 0, 1e-6);
  EXPECT_NEAR(above.result().literal().number_at(0), 1, 1e-6);
  EXPECT_NEAR(above.result().literal().number_at(2), 0, 1e-6);
}

// As in Keras: of equal ones each is the largest, and a row of zeros says nothing.
TEST(FBetaScore, OfOneHotRowsEqualScoresAllSayYes) {
  const Metric metric = F1Score{};
  metric.update_state(Literal::of<float>({{1, 0}, {0, 1}}), Literal::of<float>({{3, 3}, {0, 0}}));
  EXPECT_NEAR(metric.result().literal().number_at(0), 1, 1e-6);
  EXPECT_NEAR(metric.result().literal().number_at(1), 0, 1e-6);
}

TEST(FBetaScore, TakesWeightsInAColumn) {
  const Literal scores = Literal::of<float>({{0, 1}, {1, 0}, {0, 1}});
  for (const Literal& labels :
       {Literal::of<int32_t>({1, 1, 0}), Literal::of<int32_t>({{1}, {1}, {0}})}) {
    const Metric metric = F1Score{.average = "binary"};
    metric.update_state(labels, scores,
                        {.sample_weight = Tensor(Literal::of<float>({{3}, {1}, {1}}))});
    EXPECT_NEAR(metric.result().item<float>(), 0.75, 1e-6);
  }
}

TEST(FBetaScore, IsZeroBeforeTheFirstUpdate) {
  EXPECT_EQ(Metric(F1Score{.average = "micro"}).result().item<float>(), 0);
}

TEST(FBetaScore, RefusesWhatDoesNotFit) {
  const Tensor three = Literal::of<float>({{0, 1, 2}, {2, 1, 0}}),
               labels(Literal::of<int32_t>({1, 0}));
  const std::pair<std::function<void()>, std::string> rows[] = {
      {[&] { Metric(FBetaScore{.beta = 0}).update_state(labels, three); }, "beta is 0"},
      {[&] { Metric(FBetaScore{.beta = INFINITY}).update_state(labels, three); }, "beta is inf"},
      {[&] {
         Metric(F1Score{}).update_state(labels, Literal::zeros(DType::f32, {2, 0}));
       },
       "predictions have shape (2, 0)"},
      {[&] { Metric(F1Score{.threshold = std::nan("")}).update_state(labels, three); },
       "f1_score: threshold is nan"},
      {[&] { Metric(F1Score{}).update_state(three, labels); },
       "f1_score: predictions have shape (2,), expected [batch, ..., classes]"},
      {[&] {
         Metric(F1Score{}).update_state(Literal::of<int32_t>({1, 0, 1}), three);
       },
       "labels have shape (3,), predictions (2, 3), expected labels of shape (2,)"},
      {[&] {
         const Metric metric = F1Score{.average = "binary"};
         metric.update_state(labels, three);
         metric.result();
       },
       "average is \"binary\" and there are 3 classes"},
  };
  for (const auto& [call, wanted] : rows)
    EXPECT_CONTAINS(message_of<InvalidArgument>(call), wanted);
}

}  // namespace
}  // namespace systolic
