// Metrics, with the values that Keras's documentation gives.
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

// The metric after one batch.
double after(const Metric& metric, const Tensor& labels, const Tensor& predictions,
             std::optional<Tensor> weight = {}) {
  const MetricOptions options{.sample_weight = std::move(weight)};
  metric.update_state(labels, predictions, options);
  return metric.result().item<float>();
}

TEST(MetricExamples, CountsOfRightAndWrong) {
  const TruePositives hits{};
  const FalsePositives false_alarms{.thresholds = 0.5};
  const TrueNegatives rejections{};
  const FalseNegatives misses{};
  EXPECT_EQ(after(hits, constant({0, 1, 1, 1}), constant({1.f, 0.f, 1.f, 1.f})), 2);
  EXPECT_EQ(after(false_alarms, constant({0, 1, 0, 0}), constant({0.f, 0.f, 1.f, 1.f})), 2);
  EXPECT_EQ(after(rejections, constant({0, 1, 0, 0}), constant({1.f, 1.f, 0.f, 0.f})), 2);
  EXPECT_EQ(after(misses, constant({0, 1, 1, 1}), constant({0.f, 1.f, 0.f, 0.f})), 2);
  static_assert(std::is_same_v<TruePositives, ConditionCount<Condition::true_positives>>);
}

TEST(MetricExamples, OneCountForEachThreshold) {
  const Thresholds low_and_high = {0.3, 0.7};
  const Metric misses = FalseNegatives{.thresholds = low_and_high};
  misses.update_state(constant({1, 1, 1}), constant({0.1f, 0.5f, 0.9f}));
  expect_numbers(misses.result(), {1, 2});
}

TEST(MetricExamples, OverlapOfClasses) {
  const Tensor labels = constant({{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}});
  const Tensor scores =
      constant({{0.2f, 0.3f, 0.5f}, {0.1f, 0.2f, 0.7f}, {0.5f, 0.3f, 0.1f}, {0.1f, 0.4f, 0.5f}});
  const Tensor weight = constant({0.1f, 0.2f, 0.3f, 0.4f});
  const OneHotIoU of_two{.num_classes = 3, .target_class_ids = {0, 2}};
  const OneHotMeanIoU of_all{.num_classes = 3};
  EXPECT_NEAR(after(of_two, labels, scores, weight), 1.0 / 14, 1e-6);  // 0 and 1/7
  EXPECT_NEAR(after(of_all, labels, scores, weight), 1.0 / 21, 1e-6);  // 0, 0 and 1/7

  const BinaryIoU binary{.target_class_ids = {0, 1}, .threshold = 0.3};
  EXPECT_NEAR(after(binary, constant({0, 1, 0, 1}), constant({0.1f, 0.2f, 0.4f, 0.7f})), 1.0 / 3,
              1e-6);
}

TEST(MetricExamples, AreasAndScores) {
  const Choice<AucSummationNames> trapezoids = "interpolation";
  const AUC area{.num_thresholds = 3, .summation_method = trapezoids};
  EXPECT_NEAR(after(area, constant({0, 0, 1, 1}), constant({0.f, 0.5f, 0.3f, 0.9f})), 0.75, 1e-5);

  const Choice<ScoreAverageNames> one_for_each = "none";
  const Metric scores = F1Score{.average = one_for_each, .threshold = 0.5};
  scores.update_state(constant({{1, 1, 1}, {1, 0, 0}, {1, 1, 0}}),
                      constant({{0.2f, 0.6f, 0.7f}, {0.2f, 0.6f, 0.6f}, {0.6f, 0.8f, 0.f}}));
  expect_numbers(scores.result(), {0.5, 0.8, 2.0 / 3});
}

TEST(MetricExamples, Regression) {
  const PearsonCorrelation pearson{};
  const ConcordanceCorrelation concordance{};
  const Tensor y = constant({{0.f, 1.f, 0.5f}, {1.f, 1.f, 0.2f}});
  const Tensor p = constant({{0.1f, 0.9f, 0.5f}, {1.f, 0.9f, 0.2f}});
  EXPECT_NEAR(after(pearson, y, p), 0.99669, 5e-4);      // Keras's page: 0.9966966
  EXPECT_NEAR(after(concordance, y, p), 0.98164, 5e-4);  // 0.9816320
  const LogCoshError smooth{};
  EXPECT_NEAR(after(smooth, constant({{0.f, 1.f}, {0.f, 0.f}}), constant({{1.f, 1.f}, {0.f, 0.f}})),
              std::log(std::cosh(1.0)) / 4, 1e-6);
  const Choice<R2AggregationNames> plain = "uniform_average";
  const R2Score explained{.class_aggregation = plain};
  EXPECT_NEAR(after(explained, constant({{1.f}, {4.f}, {3.f}}), constant({{2.f}, {4.f}, {4.f}})),
              1 - 2 / (14.0 / 3), 1e-5);
}

// A metric of one's own: how often a prediction is within `reach` of the label.
struct WithinReach {
  static constexpr bool uses_sample_weight = true;
  double reach = 1;
  std::string name = "within_reach";

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const {
    add_to_mean(state, cast(abs(y_true - y_pred) < reach, DType::f32), options);
  }
  Tensor result(MetricState& state) const { return mean_result(state); }
};

TEST(MetricExamples, EachPlaceMayBeASampleOfItsOwn) {
  const Compared rows{.labels = constant({{1, 2}, {3, 0}}), .predictions = zeros({2, 2, 4})};
  const Compared places = each_place_a_sample(rows, rows.labels > 0);
  EXPECT_EQ(places.labels.shape(), (Shape{4}));
  ASSERT_TRUE(places.weight.has_value());
  expect_numbers(*places.weight, {1, 1, 1, 0});
}

}  // namespace
}  // namespace systolic
