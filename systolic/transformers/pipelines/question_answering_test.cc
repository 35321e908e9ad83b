// pipeline("question-answering") against that of transformers 4.57: golden/make_answers.py.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/pipelines/pipeline.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

QuestionAnsweringPipeline pipeline_of(const std::string& name, const Config& golden) {
  Tokenizer tokenizer = Tokenizer::from_json(golden["tokenizers"][name].text_value());
  tokenizer.set_pad_token(name == "bert" ? "[PAD]" : "<pad>");
  return {PretrainedModel::from_pretrained(golden_folder(name), Task::question_answering,
                                           {.num_labels = 2}, {}),
          tokenizer};
}

QuestionAnsweringOptions options_of(const Config& given) {
  QuestionAnsweringOptions options{.max_seq_len = given["max_seq_len"].integer(),
                                   .doc_stride = given["doc_stride"].integer()};
  if (const Config* one = given.find("top_k")) options.top_k = one->integer();
  if (const Config* one = given.find("max_answer_len")) options.max_answer_len = one->integer();
  if (const Config* one = given.find("handle_impossible_answer"))
    options.handle_impossible_answer = one->boolean();
  if (const Config* one = given.find("align_to_words")) options.align_to_words = one->boolean();
  return options;
}

TEST(QuestionAnsweringTest, AnswersAsTransformersDoes) {
  const Config golden = read_config_file(golden_folder("answers.json"), {});
  for (const std::string name : {"bert", "roberta"}) {
    const QuestionAnsweringPipeline answer = pipeline_of(name, golden);
    for (const Config& row : golden["pipeline"][name].list()) {
      const std::vector<QuestionAnswer> got = answer(
          row["question"].text_value(), row["context"].text_value(), options_of(row["options"]));
      // What cannot be an answer, but is one in transformers with a probability of 0.
      Config::List wanted = row["answer"].list();
      std::erase_if(wanted, [](const Config& one) { return one["score"].number() == 0; });
      const std::string what = name + row["question"].text() + row["options"].text();
      ASSERT_EQ(got.size(), wanted.size()) << what;
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].answer, wanted[i]["answer"].text_value()) << what << i;
        EXPECT_EQ(got[i].start, wanted[i]["start"].integer()) << what << i;
        EXPECT_EQ(got[i].end, wanted[i]["end"].integer()) << what << i;
        EXPECT_NEAR(got[i].score, wanted[i]["score"].number(), 1e-5) << what << i;
      }
    }
  }
}

TEST(QuestionAnsweringTest, WhatCannotBeIsNamed) {
  const QuestionAnsweringPipeline answer =
      pipeline_of("bert", read_config_file(golden_folder("answers.json"), {}));
  EXPECT_THROW(answer("", "x"), InvalidArgument);
  EXPECT_THROW(answer("x", ""), InvalidArgument);
  EXPECT_THROW(answer("x", "x", {.top_k = 0}), InvalidArgument);
  EXPECT_THROW(answer("x", "x", {.max_seq_len = 8, .doc_stride = 9}), InvalidArgument);
  static_assert(
      std::is_same_v<decltype(pipeline<"question-answering">("")), QuestionAnsweringPipeline>);
}

}  // namespace
}  // namespace systolic
