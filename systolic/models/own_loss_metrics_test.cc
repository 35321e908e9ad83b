// Metrics beside a model's own loss: what it leaves out counts in none of them. Against counts made
// by hand of what the model predicts.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/test_log.h"
#include "systolic/models/auto_model.h"
#include "systolic/models/test_golden.h"
#include "systolic/nn/losses/sparse_categorical_crossentropy.h"
#include "systolic/nn/metrics/binary_accuracy.h"

namespace systolic {
namespace {

const Literal& two_texts() {
  static const Literal ids = Literal::of<int32_t>({{5, 6, 9}, {7, 8, 9}});
  return ids;
}

// The classes that a model gives the highest scores, one for each row of them.
std::vector<int32_t> best_classes(const Literal& scores) {
  const int64_t classes = scores.shape()[-1];
  std::vector<int32_t> best;
  for (int64_t row = 0; row < scores.shape().elements() / classes; ++row) {
    int64_t most = 0;
    for (int64_t i = 1; i < classes; ++i) {
      if (scores.number_at(row * classes + i) > scores.number_at(row * classes + most)) most = i;
    }
    best.push_back(static_cast<int32_t>(most));
  }
  return best;
}
int32_t another(int32_t value) { return value == 0 ? 1 : 0; }

// With weights of 1 and 3 for the two texts.
Evaluation evaluated(PretrainedModel& model, const ModelArrays& labels,
                     CompileOptions options = {
                         .metrics = {"accuracy", "sparse_categorical_crossentropy"},
                         .weighted_metrics = {"accuracy"}}) {
  model.compile(std::move(options));
  return model.evaluate(two_texts(), labels,
                        {.sample_weight = Literal::of<float>({1, 3}), .verbose = 0});
}

class OwnLossMetrics : public testing::Test {
 protected:
  CaughtLog log_;  // heads that start fresh
};

TEST_F(OwnLossMetrics, IgnoredTokensCountInNone) {
  PretrainedModel model = AutoModelForTokenClassification::from_pretrained(Golden("bert").folder());
  const std::vector<int32_t> best = best_classes(model.predict(two_texts()));
  const Literal labels =
      Literal::of<int32_t>({{best[0], -100, best[2]}, {-100, another(best[4]), -100}});
  const Evaluation logs = evaluated(model, labels);
  EXPECT_NEAR(logs["accuracy"], 2.0 / 3, 1e-6);
  EXPECT_NEAR(logs["weighted_accuracy"], 2.0 / 5, 1e-6);
  EXPECT_TRUE(std::isfinite(logs["sparse_categorical_crossentropy"]));
  // As in Keras, whose losses do not tell metrics what they leave out.
  const Evaluation keras =
      evaluated(model, labels,
                {.loss = SparseCategoricalCrossentropy{.from_logits = true, .ignore_class = -100},
                 .metrics = {"accuracy"}});
  EXPECT_NEAR(keras["accuracy"], 2.0 / 6, 1e-6);
}

TEST_F(OwnLossMetrics, TextsWithoutALabelCountInNone) {
  PretrainedModel model =
      AutoModelForSequenceClassification::from_pretrained(Golden("bert").folder());
  const std::vector<int32_t> best = best_classes(model.predict(two_texts()));
  EXPECT_EQ(evaluated(model, Literal::of<int32_t>({-100, best[1]}))["accuracy"], 1);
  // Labels as a column.
  EXPECT_EQ(evaluated(model, Literal::of<int32_t>({{another(best[0])}, {-100}}))["accuracy"], 0);
}

// Each token's scores are compared with the token behind.
TEST_F(OwnLossMetrics, LanguageModelsForetellTheNextToken) {
  PretrainedModel model = AutoModelForCausalLM::from_pretrained(Golden("gpt2").folder());
  const std::vector<int32_t> best = best_classes(model.predict(two_texts()));
  const Literal labels =
      Literal::of<int32_t>({{0, best[0], another(best[1])}, {-100, best[3], -100}});
  const Evaluation logs = evaluated(model, labels);
  EXPECT_NEAR(logs["accuracy"], 2.0 / 3, 1e-6);
  EXPECT_NEAR(logs["weighted_accuracy"], 4.0 / 5, 1e-6);
}

TEST_F(OwnLossMetrics, AnswersThatWereCutOffCountInNone) {
  PretrainedModel model = AutoModelForQuestionAnswering::from_pretrained(Golden("bert").folder());
  const Example scores = model.predict_outputs(two_texts());
  const std::vector<int32_t> start = best_classes(scores["start_logits"]),
                             end = best_classes(scores["end_logits"]);
  const ModelArrays labels = {{"start_positions", Literal::of<int32_t>({start[0], 17})},
                              {"end_positions", Literal::of<int32_t>({end[0], another(end[1])})}};
  const Evaluation logs = evaluated(
      model, labels, {.metrics = {{"start_logits", "accuracy"}, {"end_logits", "accuracy"}}});
  EXPECT_EQ(logs["start_logits_accuracy"], 1);
  EXPECT_EQ(logs["end_logits_accuracy"], 0.5);
}

// Replaced tokens are asked for where there is a text.
TEST_F(OwnLossMetrics, WhatTheMaskHidesCountsInNeither) {
  PretrainedModel model = ElectraForPreTraining::from_pretrained(Golden("electra").folder());
  model.compile({.metrics = {BinaryAccuracy{.threshold = 0}}});
  const auto evaluate = [&](const Literal& labels) {
    const Literal mask = Literal::of<int32_t>({{1, 1, 0}, {1, 1, 1}});
    const ModelArrays x = {{"input_ids", two_texts()}, {"attention_mask", mask}};
    return model.evaluate(x, labels, {.verbose = 0});
  };
  const Evaluation ignored = evaluate(Literal::of<int32_t>({{1, 0, -100}, {0, 0, 1}}));
  for (const int32_t hidden : {0, 1}) {
    const Evaluation logs = evaluate(Literal::of<int32_t>({{1, 0, hidden}, {0, 0, 1}}));
    EXPECT_NEAR(logs["loss"], ignored["loss"], 1e-6);
    EXPECT_EQ(logs["binary_accuracy"], ignored["binary_accuracy"]);
  }
}

}  // namespace
}  // namespace systolic
