// Metrics beside a model's own loss: what it leaves out counts in none of them. Against counts made
// by hand of what the model predicts.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"
#include "systolic/nn/metrics/accuracy/binary_accuracy.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

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

// Each token's scores are compared with the next token.
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

// Four tokens that are right in a short batch, and four wrong ones among eight.
TEST_F(OwnLossMetrics, EachTokenCountsAlikeHoweverLongItsRowIs) {
  PretrainedModel model = AutoModelForTokenClassification::from_pretrained(Golden("bert").folder());
  model.compile({.metrics = {"accuracy"}});
  const Literal short_ids = Literal::of<int32_t>({{5, 6, 7, 8}}),
                long_ids = Literal::of<int32_t>({{5, 6, 7, 8, 9, 9, 9, 9}});
  const std::vector<int32_t> right = best_classes(model.predict(short_ids)),
                             other = best_classes(model.predict(long_ids));
  const Literal labels = Literal::from(right, {1, 4});
  const Literal wrong =
      Literal::of<int32_t>({{another(other[0]), another(other[1]), another(other[2]),
                             another(other[3]), -100, -100, -100, -100}});
  const std::vector<Example> batches = {{{"input_ids", short_ids}, {"labels", labels}},
                                        {{"input_ids", long_ids}, {"labels", wrong}}};
  const data::Dataset dataset =
      data::range(2).map([batches](const Example& i) { return batches[i["value"].integer_at(0)]; });
  EXPECT_NEAR(model.evaluate(dataset, {.verbose = 0})["accuracy"], 0.5, 1e-6);
}

TEST_F(OwnLossMetrics, FunctionsGetLabelsAsTheyAre) {
  PretrainedModel model = AutoModelForCausalLM::from_pretrained(Golden("gpt2").folder());
  const auto first_label = [](const Tensor& y, const Tensor&) {
    return cast(max(y, {.axis = 1}), DType::f32);
  };
  const auto of_all = [](const Tensor& y, const Tensor&) { return cast(min(y), DType::f32); };
  model.compile({.metrics = {Metric::from_function("largest", first_label),
                             Metric::from_function("least", of_all)}});
  const Literal labels = Literal::of<int32_t>({{7, 1, 2}, {3, 9, -100}});
  const Evaluation logs = model.evaluate(two_texts(), labels, {.verbose = 0});
  EXPECT_NEAR(logs["largest"], 8, 1e-6);
  EXPECT_NEAR(logs["least"], -100, 1e-4);
}

TEST_F(OwnLossMetrics, WeightsMayBeAColumn) {
  PretrainedModel model =
      AutoModelForSequenceClassification::from_pretrained(Golden("bert").folder());
  const std::vector<int32_t> best = best_classes(model.predict(two_texts()));
  model.compile({.weighted_metrics = {"accuracy"}});
  for (const Literal& weights : {Literal::of<float>({1, 3}), Literal::of<float>({{1}, {3}})}) {
    const Evaluation logs =
        model.evaluate(two_texts(), Literal::of<int32_t>({best[0], another(best[1])}),
                       {.sample_weight = weights, .verbose = 0});
    EXPECT_NEAR(logs["accuracy"], 0.25, 1e-6);
  }
}

TEST_F(OwnLossMetrics, OfTwoCoresAreThoseOfOne) {
  const auto of = [](int cores) {
    MirroredStrategy strategy(cores);
    PretrainedModel model = strategy.scope(
        [] { return AutoModelForTokenClassification::from_pretrained(Golden("bert").folder()); });
    model.compile({.metrics = {"accuracy"}});
    const Literal ids = Literal::of<int32_t>({{5, 6, 9}, {7, 8, 9}, {5, 5, 8}});
    const Literal labels = Literal::of<int32_t>({{0, 1, -100}, {1, 1, 1}, {0, -100, -100}});
    return model.evaluate(ids, labels, {.verbose = 0})["accuracy"];
  };
  EXPECT_NEAR(of(2), of(1), 1e-6);
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
