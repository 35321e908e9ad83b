// Pipelines against those of transformers: golden/make_pipelines.py.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/pipelines/pipeline.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr double close = 1e-4;

class PipelineTest : public testing::TestWithParam<const char*> {
 protected:
  const Config::List& rows(const char* task) const { return answers_[task].list(); }
  PretrainedModel model(Task task) const {
    PretrainedOptions options;
    if (task == Task::sequence_classification || task == Task::token_classification)
      options.id2label = {"O", "B-PER", "I-PER"};
    return PretrainedModel::from_pretrained(golden_folder(GetParam()), task, options, {});
  }

  Config answers_ = read_config_file(golden_folder("pipelines.json"), {})[GetParam()];
  Tokenizer tokenizer_ = with_roles(Tokenizer::from_json(answers_["tokenizer"].text_value()));

 private:
  static Tokenizer with_roles(Tokenizer tokenizer) {
    tokenizer.set_pad_token(tokenizer.token_to_id("[PAD]") ? "[PAD]" : "<pad>");
    return tokenizer;
  }
};

TEST_P(PipelineTest, TextClassificationAnswersAsTransformersDoes) {
  const TextClassificationPipeline classify(model(Task::sequence_classification), tokenizer_);
  for (const Config& row : rows("text-classification")) {
    const std::string text = row["text"].text_value(), function = row["function"].text_value();
    TextClassificationOptions options{.top_k = 0};
    if (function == "softmax") options.function_to_apply = ScoreFunction("softmax");
    if (function == "sigmoid") options.function_to_apply = "sigmoid";
    if (function == "none") options.function_to_apply = "none";
    const std::vector<ClassScore> got = classify(text, options);
    const Config::List& wanted = row["answer"].list();
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].label, wanted[i]["label"].text_value()) << text << function;
      EXPECT_NEAR(got[i].score, wanted[i]["score"].number(), close) << text << function;
    }
    options.top_k = 1;
    EXPECT_EQ(classify(text, options).size(), 1u);
  }
}

// The recipe has RoBERTa's answers alone: its tokenizer for BERT gives no token_type_ids for pairs.
class ZeroShotTest : public PipelineTest {};

TEST_P(ZeroShotTest, AnswersAsTransformersDoes) {
  const PretrainedModel model = PretrainedModel::from_pretrained(
      golden_folder(GetParam()), Task::sequence_classification,
      {.id2label = {"contradiction", "neutral", "Entailment"}}, {});
  const ZeroShotClassificationPipeline classify(model, tokenizer_);
  for (const Config& row : rows("zero-shot-classification")) {
    std::vector<std::string> labels;
    for (const Config& label : row["labels"].list()) labels.push_back(label.text_value());
    const std::vector<ClassScore> got =
        classify(row["text"].text_value(), labels,
                 ZeroShotOptions{.hypothesis_template = row["template"].text_value(),
                                 .multi_label = row["multi_label"].boolean()});
    const Config& wanted = row["answer"];
    ASSERT_EQ(got.size(), wanted["labels"].list().size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].label, wanted["labels"].list()[i].text_value());
      EXPECT_NEAR(got[i].score, wanted["scores"].list()[i].number(), close);
    }
  }
  EXPECT_THROW(classify("x", {}), InvalidArgument);
  EXPECT_THROW(classify("x", {"boat"}, {.hypothesis_template = "the"}), InvalidArgument);
}

TEST(TextGenerationTest, AnswersAsTransformersDoes) {
  const Config answers = read_config_file(golden_folder("pipelines.json"), {})["roberta"];
  const TextGenerationPipeline write(
      PretrainedModel::from_pretrained(golden_folder("gpt2"), Task::causal_lm, {}, {}),
      Tokenizer::from_json(answers["tokenizer"].text_value()));
  for (const Config& row : answers["text-generation"].list()) {
    const std::string text = row["text"].text_value();
    const TextGenerationOptions options{.return_full_text = row["full"].boolean()};
    const std::vector<GeneratedText> got =
        write(text, {.max_new_tokens = 6, .do_sample = false}, options);
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].generated_text, row["answer"].list()[0]["generated_text"].text_value());
  }
  // Drawn, and as long as there are positions for, where nobody says how.
  EXPECT_NE(write("the boat", {.seed = 1})[0].generated_text, "");
  EXPECT_THROW(write(std::vector<ChatMessage>{{"user", "x"}}), FailedPrecondition);
}

TEST(ImageClassificationTest, AnswersAsTransformersDoes) {
  const Config answers = read_config_file(golden_folder("pipelines.json"), {})["vit"];
  const ImageClassificationPipeline classify(
      PretrainedModel::from_pretrained(golden_folder("vit"), Task::image_classification, {}, {}),
      ImageProcessor{.size = {.height = 12, .width = 20}});
  Literal picture(DType::u8, {17, 23, 3});
  for (int64_t i = 0; i < picture.size(); ++i) {
    const int64_t row = i / 69, column = i / 3 % 23, channel = i % 3;
    picture.mutable_data<uint8_t>()[static_cast<size_t>(i)] =
        static_cast<uint8_t>((row * 13 + column * 7 + channel * 40) % 256);
  }
  for (const Config& row : answers["image-classification"].list()) {
    ImageClassificationOptions options;
    if (row["function"].text_value() == "sigmoid") options.function_to_apply = "sigmoid";
    const std::vector<ClassScore> got = classify(picture, options);
    const Config::List& wanted = row["answer"].list();
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].label, wanted[i]["label"].text_value());
      EXPECT_NEAR(got[i].score, wanted[i]["score"].number(), close);
    }
  }
  EXPECT_THROW(classify(std::string("no picture")), InvalidArgument);
}

TEST_P(PipelineTest, TextsTogetherAreAnsweredAsOneByOne) {
  const TextClassificationPipeline classify(model(Task::sequence_classification), tokenizer_);
  const std::vector<std::string> texts = {"the boat", "x", "the boat sails to the island."};
  const auto together = classify(texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(together[i][0].label, classify(texts[i])[0].label);
    EXPECT_NEAR(together[i][0].score, classify(texts[i])[0].score, close);
  }
}

TEST_P(PipelineTest, TokenClassificationAnswersAsTransformersDoes) {
  const TokenClassificationPipeline find(model(Task::token_classification), tokenizer_);
  using Kind = AggregationStrategy::Kind;
  static_assert(AggregationStrategy("max").kind() == Kind::max);
  const std::map<std::string, Kind> kinds = {{"none", Kind::none},
                                             {"simple", Kind::simple},
                                             {"first", Kind::first},
                                             {"average", Kind::average},
                                             {"max", Kind::max}};
  for (const Config& row : rows("token-classification")) {
    const std::string text = row["text"].text_value(), strategy = row["strategy"].text_value();
    const std::vector<Entity> got =
        find(text, TokenClassificationOptions{.aggregation_strategy = kinds.at(strategy)});
    const Config::List& wanted = row["answer"].list();
    ASSERT_EQ(got.size(), wanted.size()) << text << " " << strategy;
    for (size_t i = 0; i < got.size(); ++i) {
      const std::string name = str(text, " ", strategy, " ", i);
      const char* entity = strategy == "none" ? "entity" : "entity_group";
      EXPECT_EQ(got[i].entity, wanted[i][entity].text_value()) << name;
      EXPECT_EQ(got[i].word, wanted[i]["word"].text_value()) << name;
      EXPECT_NEAR(got[i].score, wanted[i]["score"].number(), close) << name;
      EXPECT_EQ(got[i].start, wanted[i]["start"].integer()) << name;
      EXPECT_EQ(got[i].end, wanted[i]["end"].integer()) << name;
      if (strategy == "none") {
        EXPECT_EQ(got[i].index, wanted[i]["index"].integer()) << name;
      }
    }
  }
}

TEST_P(PipelineTest, FillMaskAnswersAsTransformersDoes) {
  const FillMaskPipeline fill(model(Task::masked_lm), tokenizer_);
  for (const Config& row : rows("fill-mask")) {
    const std::string text = row["text"].text_value();
    const std::vector<std::vector<FilledMask>> got =
        fill.each_mask(text, FillMaskOptions{.top_k = 3});
    // A text with one mask has its answers alone, others a list for each mask.
    Config::List wanted = row["answer"].list();
    if (wanted[0].is_map()) wanted = {Config(wanted)};
    ASSERT_EQ(got.size(), wanted.size()) << text;
    for (size_t mask = 0; mask < got.size(); ++mask) {
      ASSERT_EQ(got[mask].size(), 3u);
      for (size_t i = 0; i < 3; ++i) {
        const Config& one = wanted[mask].list()[i];
        EXPECT_EQ(got[mask][i].token, one["token"].integer()) << text;
        EXPECT_EQ(got[mask][i].token_str, one["token_str"].text_value()) << text;
        EXPECT_EQ(got[mask][i].sequence, one["sequence"].text_value()) << text;
        EXPECT_NEAR(got[mask][i].score, one["score"].number(), close) << text;
      }
    }
  }
  expect_parts(error_of([&] { fill("the boat"); }), {"without a mask", "mask"});
  expect_parts(error_of([&] { fill(rows("fill-mask")[1]["text"].text_value()); }),
               {"2 masks", "each_mask"});
}

TEST_P(PipelineTest, FeatureExtractionGivesTheStatesOfTransformers) {
  const FeatureExtractionPipeline extract(model(Task::features), tokenizer_);
  for (const Config& row : rows("feature-extraction")) {
    const Literal got = extract(row["text"].text_value());
    const Config::List& wanted = row["answer"].list();
    ASSERT_EQ(got.shape(), (Shape{static_cast<int64_t>(wanted.size()), 32}));
    for (int64_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got.number_at(i),
                  wanted[static_cast<size_t>(i / 32)].list()[static_cast<size_t>(i % 32)].number(),
                  close);
    }
  }
}

TEST(PipelineByName, IsTheTasks) {
  using Wanted = TextClassificationPipeline;
  static_assert(std::is_same_v<decltype(pipeline<"sentiment-analysis">("")), Wanted>);
  static_assert(std::is_same_v<decltype(pipeline<"ner">("")), TokenClassificationPipeline>);
  static_assert(PipelineName("ner").view() == "ner");
  expect_parts(error_of([] {
                 pipeline<"fill-mask">("no_such_folder", {"user.cc", 7});
               }),
               {"no_such_folder", "user.cc:7"});
}

INSTANTIATE_TEST_SUITE_P(All, ZeroShotTest, testing::Values("roberta"),
                         [](const auto& row) { return std::string(row.param); });
INSTANTIATE_TEST_SUITE_P(All, PipelineTest, testing::Values("bert", "roberta"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace systolic
