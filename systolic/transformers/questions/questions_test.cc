// Rows of questions, answers and the pipeline against transformers': golden/make_answers.py.
#include <gtest/gtest.h>

#include <set>

#include "systolic/base/test_errors.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/questions/postprocess_qa_predictions.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

class QuestionsTest : public testing::Test {
 protected:
  Tokenizer tokenizer(const std::string& name) const {
    Tokenizer made = Tokenizer::from_json(golden_["tokenizers"][name].text_value());
    made.set_pad_token(name == "bert" ? "[PAD]" : "<pad>");
    return made;
  }
  // Those of the names, or all.
  std::vector<QaExample> examples(const Config::List* names = nullptr) const {
    std::vector<QaExample> made;
    for (const Config& one : golden_["examples"].list()) {
      const std::string id = one["id"].text_value();
      if (names != nullptr && std::ranges::find(*names, Config(id)) == names->end()) continue;
      made.push_back({.id = id,
                      .question = one["question"].text_value(),
                      .context = one["context"].text_value()});
      for (const Config& answer : one["answers"].list())
        made.back().answers.push_back(answer.text_value());
      for (const Config& start : one["starts"].list())
        made.back().answer_starts.push_back(start.integer());
    }
    return made;
  }
  std::vector<QaFeature> rows(const std::string& name, const Config& golden) const {
    return qa_features(tokenizer(name), examples(&golden["examples"].list()),
                       QaFeatureOptions{.max_seq_length = golden["max_seq_length"].integer(),
                                        .doc_stride = golden["doc_stride"].integer()});
  }

  Config golden_ = read_config_file(golden_folder("answers.json"), {});
};

TEST_F(QuestionsTest, RowsAreThoseOfRunQa) {
  for (const std::string name : {"bert", "roberta"}) {
    for (const Config& golden : golden_["features"][name].list()) {
      const std::vector<QaFeature> got = rows(name, golden);
      const Config::List& wanted = golden["rows"].list();
      ASSERT_EQ(got.size(), wanted.size()) << name;
      for (size_t i = 0; i < got.size(); ++i) {
        const QaFeature& row = got[i];
        EXPECT_EQ(static_cast<int64_t>(row.example), wanted[i]["example"].integer());
        EXPECT_EQ(row.start_position, wanted[i]["start"].integer()) << name << i;
        EXPECT_EQ(row.end_position, wanted[i]["end"].integer()) << name << i;
        Config::List ids, offsets;
        for (const int32_t id : row.input_ids) ids.emplace_back(id);
        for (const auto& one : row.offsets)
          offsets.push_back(one ? Config(Config::List{one->begin, one->end}) : Config());
        EXPECT_EQ(Config(ids), wanted[i]["ids"]) << name << i;
        EXPECT_EQ(Config(offsets), wanted[i]["offsets"]) << name << i;
      }
    }
  }
}

TEST_F(QuestionsTest, AnswersAreThoseOfUtilsQa) {
  const std::vector<QaFeature> features = rows("bert", golden_["features"]["bert"].list()[0]);
  const Example scores = io::read_safetensors(golden_folder("answers_scores.safetensors")).tensors;
  const Config::List& cases = golden_["postprocess"].list();
  ASSERT_EQ(cases.size(), 12);
  for (size_t number = 0; number < cases.size(); ++number) {
    const Config& golden = cases[number]["options"];
    const QaAnswerOptions options{
        .version_2_with_negative = golden["version_2_with_negative"].boolean(),
        .n_best_size = golden["n_best_size"].integer(),
        .max_answer_length = golden["max_answer_length"].integer(),
        .null_score_diff_threshold = golden["null_score_diff_threshold"].number()};
    const std::vector<QaExample> asked = examples();
    const std::vector<QaPrediction> got = postprocess_qa_predictions(
        asked, features, scores[str("starts.", number)], scores[str("ends.", number)], options);
    ASSERT_EQ(got.size(), asked.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const std::string& id = asked[i].id;
      EXPECT_EQ(got[i].text, cases[number]["text"][id].text_value()) << number << id;
      if (options.version_2_with_negative) {
        EXPECT_NEAR(got[i].score_diff, cases[number]["odds"][id].number(), 1e-4) << number << id;
      }
      const Config::List& wanted = cases[number]["best"][id].list();
      ASSERT_EQ(got[i].n_best.size(), wanted.size()) << number << id;
      for (size_t k = 0; k < wanted.size(); ++k) {
        const QaAnswer& one = got[i].n_best[k];
        EXPECT_EQ(one.text, wanted[k]["text"].text_value()) << number << id << k;
        EXPECT_NEAR(one.probability, wanted[k]["probability"].number(), 1e-6);
        EXPECT_NEAR(one.start_logit, wanted[k]["start_logit"].number(), 1e-6);
        EXPECT_NEAR(one.end_logit, wanted[k]["end_logit"].number(), 1e-6);
      }
    }
  }
}

TEST_F(QuestionsTest, PaddingChangesNoScore) {
  const PretrainedModel model = PretrainedModel::from_pretrained(
      golden_folder("bert"), Task::question_answering, {.num_labels = 2}, {});
  const std::vector<QaFeature> features = rows("bert", golden_["features"]["bert"].list()[0]);
  const Example all = qa_scores(model, tokenizer("bert"), features, 4);
  std::set<size_t> lengths;
  for (size_t i = 0; i < features.size(); ++i) {
    const Example alone = qa_scores(model, tokenizer("bert"), {features[i]});
    const Literal together = all["end_logits"].row(static_cast<int64_t>(i));
    lengths.insert(features[i].input_ids.size());
    for (size_t token = 0; token < features[i].input_ids.size(); ++token) {
      const auto at = static_cast<int64_t>(token);
      EXPECT_NEAR(together.number_at(at), alone["end_logits"].number_at(at), 1e-5) << i << token;
    }
  }
  EXPECT_GT(lengths.size(), 1u);
}

TEST_F(QuestionsTest, WhatCannotBeIsNamed) {
  const Tokenizer bert = tokenizer("bert");
  const std::vector<QaExample> late{
      {.id = "q", .question = "x", .context = "the é", .answers = {"é"}, .answer_starts = {5}}};
  EXPECT_NE(message_of<InvalidArgument>([&] {
              qa_features(bert, late);
            }).find("question 'q': the answer of 1 characters begins at 5"),
            std::string::npos);
  EXPECT_THROW(qa_features(bert, {{.answers = {"x"}}}), InvalidArgument);
  const std::vector<QaExample> asked{{.question = "the boat", .context = "the boat the boat"}};
  EXPECT_THROW(qa_features(bert, asked, {.max_seq_length = 6, .doc_stride = 6}), InvalidArgument);
  const std::vector<QaFeature> features = qa_features(bert, asked);
  const Literal narrow = Literal::filled(DType::f32, {1, 4}, 0),
                wide = Literal::filled(DType::f32, {1, 16}, 0);
  EXPECT_THROW(postprocess_qa_predictions(asked, features, narrow, wide), InvalidArgument);
  EXPECT_THROW(postprocess_qa_predictions({}, features, wide, wide), InvalidArgument);
  EXPECT_THROW(postprocess_qa_predictions(asked, features, wide, wide, {.n_best_size = 0}),
               InvalidArgument);
  EXPECT_THROW(postprocess_qa_predictions({asked[0], asked[0]}, features, wide, wide),
               InvalidArgument);
}

}  // namespace
}  // namespace systolic
