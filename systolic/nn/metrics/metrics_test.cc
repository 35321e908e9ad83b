// Metrics over two batches against values worked out by hand or by plain loops.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/nn/metrics/auc.h"
#include "systolic/nn/metrics/mean.h"
#include "systolic/nn/metrics/precision.h"
#include "systolic/nn/metrics/recall.h"
#include "systolic/nn/metrics/sum.h"
#include "systolic/nn/metrics/top_k_categorical_accuracy.h"
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

// The pairs (positive, negative) in the right order: what the area is, but for the thresholds.
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

TEST(MetricsTest, TheWrongUpdateSaysWhichIsWanted) {
  const Metric mean = Mean{}, accuracy = "accuracy";
  EXPECT_THROW(mean.update_state(constant({1.f}), constant({1.f})), InvalidArgument);
  EXPECT_THROW(accuracy.update_state(constant({1.f})), InvalidArgument);
  EXPECT_THROW(Metric::parse("accurac"), InvalidArgument);
}

}  // namespace
}  // namespace systolic
