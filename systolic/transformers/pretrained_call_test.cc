// Pretrained models as they are called: by names, in which type, and what is said of odd inputs.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/nn/config/dtype_policy.h"
#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"
#include "systolic/nn/metrics/confusion/auc.h"
#include "systolic/nn/metrics/confusion/precision.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/pretrained_model.h"
#include "systolic/transformers/test_classifier.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

class PretrainedCall : public GoldenClassifierTest {};

TEST_F(PretrainedCall, LogitsAreF32WhateverItComputesIn) {
  const DTypePolicyScope policy("mixed_bfloat16");
  EXPECT_EQ(classifier().predict(ids()).dtype(), DType::f32);
  const auto answers = AutoModelForQuestionAnswering::from_pretrained(golden_.folder());
  EXPECT_EQ(answers.predict_outputs(ids())["end_logits"].dtype(), DType::f32);
  const auto features = AutoModel::from_pretrained(golden_.folder());
  EXPECT_EQ(features.predict_outputs(ids())["last_hidden_state"].dtype(), DType::bf16);
}

TEST_F(PretrainedCall, ProbabilitiesOfLogitsAreWarnedOf) {
  PretrainedModel model = classifier();
  model.compile({.loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {AUC{.from_logits = true}, "accuracy"}});
  EXPECT_EQ(log_.lines().find("takes probabilities"), std::string::npos) << log_.lines();
  model.compile({.loss = "sparse_categorical_crossentropy", .metrics = {Precision{}}});
  EXPECT_CONTAINS(log_.lines(), "the loss 'sparse_categorical_crossentropy' takes probabilities");
  EXPECT_CONTAINS(log_.lines(), "the metric 'precision' takes probabilities");
}

TEST_F(PretrainedCall, IsCalledByNames) {
  const PretrainedModel model = classifier();
  const Tensor ids = this->ids(), mask = ones(ids.shape(), DType::i32);
  const Literal wanted = model.predict(this->ids());
  const Tensor by_name[] = {model({{"attention_mask", mask}, {"input_ids", ids}}),
                            model(Batch({{"labels", mask}, {"input_ids", ids}}))};
  for (const Tensor& logits : by_name) {
    const Literal got = logits.literal();
    ASSERT_EQ(got.shape(), wanted.shape());
    // Other programs: some hundred sums of f32 about 1, each rounded its own way.
    for (int64_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got.number_at(i), wanted.number_at(i), 1e-5);
  }
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    model({{"input_ids", ids}, {"attention_maks", mask}});
                  }),
                  "called on the inputs input_ids, attention_maks");
  const Tensor one_id(Literal::scalar<int32_t>(3));
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    model({{"input_ids", one_id}});
                  }),
                  "input 'input_ids' has shape ()");
}

TEST_F(PretrainedCall, UnknownIdsAreFoundInACallToo) {
  for (const char* type : {"bert", "distilbert", "gpt2", "xlnet"}) {
    const PretrainedModel model =
        AutoModelForSequenceClassification::from_pretrained(golden_folder(type));
    model(Tensor(Literal::of<int32_t>({{1, 2, 59, 3}})));
    for (const int32_t unknown : {60, -7}) {
      const SourceLocation here{"user.cc", 7};
      const Tensor ids(Literal::of<int32_t>({{1, 2, unknown, 3}}));
      expect_parts(error_of([&] { model(ids, {}, here); }),
                   {str("value ", unknown, " among integers of shape (1, 4), element 2"), "0 to 59",
                    "user.cc:7"});
    }
  }
}

// Each such line is said once: this one is of a token that pads nowhere else.
TEST_F(PretrainedCall, PaddingWithoutAMaskIsWarnedOf) {
  const auto model = AutoModelForSequenceClassification::from_pretrained(
      golden_.folder(), {.config = {{"pad_token_id", 7}}});
  const auto said = [&](const Example& inputs) {
    const CaughtLog log;
    model.predict(inputs);
    return log.lines();
  };
  const Literal whole = Literal::of<int32_t>({{5, 7, 1}, {5, 6, 1}}),
                padded = Literal::of<int32_t>({{5, 6, 1}, {5, 6, 7}});
  EXPECT_EQ(said({{"input_ids", whole}}), "");
  EXPECT_EQ(said({{"input_ids", padded}, {"attention_mask", whole}}), "");
  EXPECT_CONTAINS(said({{"input_ids", padded}}),
                  "rows of 'input_ids' begin or end in 7, which pads, and there is no "
                  "'attention_mask'");
}

}  // namespace
}  // namespace systolic
