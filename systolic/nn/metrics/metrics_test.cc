// Metrics over two batches against values worked out by hand or by plain loops.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/creation.h"

namespace systolic {
namespace {

TEST(MetricsTest, MeanAndSumAreWeightedAndReset) {
  const Metric mean = Mean{.name = "training_loss"}, sum = Sum{};
  for (const Metric& metric : {mean, sum}) {
    metric.update_state(constant({1.f, 2.f, 3.f}));
    metric.update_state(constant({10.f, 20.f}), {.sample_weight = constant({2.f, 0.f})});
  }
  EXPECT_NEAR(mean.result().item<float>(), 26.0 / 5, 1e-6);
  EXPECT_NEAR(sum.result().item<float>(), 26, 1e-5);
  mean.reset_state();
  EXPECT_EQ(mean.result().item<float>(), 0);
  EXPECT_EQ(mean.name(), "training_loss");
}

TEST(MetricsTest, MeanTakesPlainNumbers) {
  const Metric mean = Mean{};
  mean.update_state(2.5);
  mean.update_state(4, {.sample_weight = constant(2.f)});
  EXPECT_NEAR(mean.result().item<float>(), 3.5, 1e-6);
}

TEST(MetricsTest, AccuracyIsTheOneThatFitsTheShapes) {
  const Tensor scores = constant({{0.1f, 0.9f}, {0.8f, 0.2f}, {0.3f, 0.7f}, {0.6f, 0.4f}});
  const Metric sparse = "accuracy", categorical = "accuracy", binary = "acc";
  sparse.update_state(constant({1, 0, 0, 0}), scores);
  EXPECT_EQ(sparse.result().item<float>(), 0.75f);
  categorical.update_state(constant({{0.f, 1.f}, {0.f, 1.f}, {0.f, 1.f}, {0.f, 1.f}}), scores);
  EXPECT_EQ(categorical.result().item<float>(), 0.5f);
  binary.update_state(constant({{1.f}, {0.f}, {1.f}, {1.f}}),
                      constant({{0.9f}, {0.2f}, {0.5f}, {0.51f}}));
  EXPECT_EQ(binary.result().item<float>(), 0.75f);
}

TEST(MetricsTest, TopKCountsLabelsAmongTheLargest) {
  const Tensor scores = constant({{0.1f, 0.5f, 0.4f}, {0.6f, 0.3f, 0.1f}});
  const Metric top = TopKCategoricalAccuracy{.k = 2};
  top.update_state(constant({{0.f, 0.f, 1.f}, {0.f, 0.f, 1.f}}), scores);
  EXPECT_EQ(top.result().item<float>(), 0.5f);
}

TEST(MetricsTest, PrecisionAndRecallOverTwoBatches) {
  const Metric precision = Precision{}, recall = Recall{};
  for (const Metric& metric : {precision, recall}) {
    metric.update_state(constant({1.f, 1.f, 0.f}), constant({0.9f, 0.2f, 0.7f}));
    metric.update_state(constant({1.f, 0.f}), constant({0.8f, 0.1f}),
                        {.sample_weight = constant({3.f, 1.f})});
  }
  EXPECT_NEAR(precision.result().item<float>(), 4.0 / 5, 1e-6);
  EXPECT_NEAR(recall.result().item<float>(), 4.0 / 5, 1e-6);
}

TEST(MetricsTest, ProbabilitiesMayComeAsLogits) {
  const Tensor labels = constant({1.f, 1.f, 0.f}), logits = constant({2.f, -0.2f, -1.f});
  const std::pair<Metric, double> rows[] = {
      {Precision{.from_logits = true}, 1},
      {Precision{.thresholds = 0.2, .from_logits = true}, 2. / 3},  // sigmoid(-1) is 0.27
      {Recall{.from_logits = true}, 0.5},
      {BinaryAccuracy{.threshold = 0.3, .from_logits = true}, 1},
  };
  for (const auto& [metric, wanted] : rows) {
    metric.update_state(labels, logits);
    EXPECT_NEAR(metric.result().item<float>(), wanted, 1e-6) << metric.name();
  }
}

// The pairs (positive, negative) in the right order: the area, were there no thresholds.
TEST(MetricsTest, AucIsTheShareOfPairsInTheRightOrder) {
  const std::vector<float> labels{1, 0, 1, 0, 1, 0}, scores{0.9f, 0.8f, 0.7f, 0.3f, 0.2f, 0.1f};
  double right = 0, pairs = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t j = 0; j < labels.size(); ++j) {
      if (labels[i] != 1 || labels[j] != 0) continue;
      pairs += 1;
      right += scores[i] > scores[j] ? 1 : 0;
    }
  }
  const Metric auc = AUC{};
  auc.update_state(constant(Literal::from(labels, {6})), constant(Literal::from(scores, {6})));
  EXPECT_NEAR(auc.result().item<float>(), right / pairs, 1e-5);
}

TEST(MetricsTest, ALossObjectIsAMetric) {
  const Metric squares = MeanSquaredError{}, named = "binary_crossentropy";
  const Metric kept = SparseCategoricalCrossentropy{.from_logits = true, .ignore_class = -1};
  EXPECT_EQ(squares.name(), "mean_squared_error");
  squares.update_state(constant({{1.f, 2.f}}), constant({{1.f, 4.f}}));
  squares.update_state(constant({{0.f, 0.f}, {0.f, 0.f}}), constant({{3.f, 3.f}, {1.f, 1.f}}),
                       {.sample_weight = constant({1.f, 4.f})});
  EXPECT_NEAR(squares.result().item<float>(), (2 + 9 + 4 * 1) / 6.0, 1e-6);
  named.update_state(constant({{1.f}, {0.f}}), constant({{0.5f}, {0.75f}}));
  EXPECT_NEAR(named.result().item<float>(), (std::log(2) + std::log(4)) / 2, 1e-5);
  // The ignored label counts neither above nor below the line.
  kept.update_state(constant({0, -1}), constant({{1.f, 0.f}, {5.f, 9.f}}),
                    {.sample_weight = constant({2.f, 7.f})});
  EXPECT_NEAR(kept.result().item<float>(), std::log(1 + std::exp(-1)), 1e-5);
}

TEST(MetricsTest, TotalsHaveTheDtypeThatIsAskedFor) {
  const Metric narrow = Mean{"training_loss", DType::f32}, wide = Mean{.dtype = DType::f64};
  const Metric sum = Sum{.dtype = DType::f64};
  for (const Metric& metric : {narrow, wide, sum}) {
    metric.update_state(constant({16777216.f}));
    for (int i = 0; i < 2; ++i) metric.update_state(constant({1.f}));
  }
  EXPECT_EQ(narrow.result().dtype(), DType::f32);
  EXPECT_EQ(wide.result().dtype(), DType::f64);
  EXPECT_EQ(sum.result().item<double>(), 16777218.0);  // f32 stays at 2^24
  EXPECT_EQ(wide.result().item<double>(), 16777218.0 / 3);
  EXPECT_THROW(Metric(Mean{.dtype = DType::bf16}), InvalidArgument);
  // Every other metric under the wider type gives what it gives under f32.
  const Tensor labels = constant({{1.f, 0.f}, {0.f, 1.f}});
  const Tensor scores = constant({{0.7f, 0.3f}, {0.6f, 0.4f}});
  const std::pair<Metric, Metric> table[] = {
      {AUC{}, AUC{.dtype = DType::f64}},
      {AUC{.curve = "PR"}, AUC{.curve = "PR", .dtype = DType::f64}},
      {Precision{}, Precision{.dtype = DType::f64}},
      {Recall{}, Recall{.dtype = DType::f64}},
      {RootMeanSquaredError{}, RootMeanSquaredError{.dtype = DType::f64}},
      {CategoricalAccuracy{}, CategoricalAccuracy{.dtype = DType::f64}},
      {BinaryAccuracy{}, BinaryAccuracy{.dtype = DType::f64}},
      {TopKCategoricalAccuracy{.k = 1}, TopKCategoricalAccuracy{.k = 1, .dtype = DType::f64}},
  };
  for (const auto& [plain, widened] : table) {
    plain.update_state(labels, scores);
    widened.update_state(labels, scores);
    EXPECT_NEAR(widened.result().item<double>(), plain.result().item<double>(), 1e-6)
        << plain.name();
    EXPECT_EQ(widened.result().dtype(), DType::f64) << plain.name();
  }
}

TEST(MetricsTest, TheWrongUpdateSaysWhichIsWanted) {
  const Metric mean = Mean{}, accuracy = "accuracy";
  EXPECT_THROW(mean.update_state(constant({1.f}), constant({1.f})), InvalidArgument);
  EXPECT_THROW(accuracy.update_state(constant({1.f})), InvalidArgument);
  EXPECT_THROW(Metric::parse("accurac"), InvalidArgument);
}

}  // namespace
}  // namespace systolic
