// Encoders that read from left to right: is_decoder, their causal language models, and what these
// generate (golden/make_generated.py). Their logits and losses are those of pretrained_test.cc.
#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t no_token = -1;  // ends a text

class CausalEncoderTest : public testing::TestWithParam<std::string> {
 protected:
  // With a head of its own.
  PretrainedModel untied(Config::Map fields = {}) const {
    TemporaryFolder folder;
    write_untied_model(GetParam(), folder / "");
    fields.emplace_back("tie_word_embeddings", false);
    fields.emplace_back("is_decoder", true);
    return AutoModelForCausalLM::from_pretrained(folder / "", {.config = fields});
  }
  PretrainedModel load(Task task, const Config::Map& fields = {}) const {
    return PretrainedModel::from_pretrained(golden_.folder(), task, {.config = fields}, {});
  }
  Example inputs() const {
    return golden_.inputs({"input_ids", "attention_mask", "token_type_ids"});
  }

  Golden golden_{GetParam()};
  Example generated_ = io::read_safetensors(golden_.folder() + "/generated.safetensors").tensors;
  CaughtLog log_;
};

TEST_P(CausalEncoderTest, GeneratesTheIdsOfTransformers) {
  const Example prompts{{"input_ids", generated_["input_ids"]},
                        {"attention_mask", generated_["attention_mask"]}};
  const GenerationConfig options{.max_new_tokens = 12, .eos_token_id = no_token};
  EXPECT_EQ(untied().generate(prompts, options), generated_["plain"].convert(DType::i32));
  const PretrainedModel spread =
      TPUStrategy(TPUClusterResolver("local")).scope([&] { return untied(); });
  EXPECT_EQ(spread.generate(prompts, options), generated_["plain"].convert(DType::i32));
}

// As a tokenizer gives them.
TEST_P(CausalEncoderTest, TokenTypesOfPromptsAreThoseOfOneSegment) {
  const PretrainedModel model = untied();
  const Literal ids = Literal::of<int32_t>({{5, 6}}), types = Literal::of<int32_t>({{0, 0}});
  const GenerationConfig options{.max_new_tokens = 3, .eos_token_id = no_token};
  EXPECT_EQ(model.generate({{"input_ids", ids}, {"token_type_ids", types}}, options),
            model.generate(ids, options));
  EXPECT_THROW(model.generate({{"input_ids", ids}, {"token_type_ids", ids}}, options),
               Unimplemented);
}

TEST_P(CausalEncoderTest, LabelsAreTokens) {
  PretrainedModel model = untied();
  model.compile({.optimizer = "sgd"});
  const std::string error = error_of([&] {
    model.fit(Literal::of<int32_t>({{5, 6}}), Literal::of<int32_t>({1}), {.verbose = 0},
              {"user.cc", 9});
  });
  for (const char* part : {"the tokens themselves: labels of shape (1, 2)", "user.cc:9"})
    EXPECT_NE(error.find(part), std::string::npos) << error;
}

TEST_P(CausalEncoderTest, GeneratesAsFarAsThereArePositions) {
  const PretrainedModel model = untied();
  const int64_t positions = model.config().architecture().max_tokens();
  const auto generate = [&](int64_t tokens) {
    return model.generate(Literal::of<int32_t>({5}).reshape({1, 1}),
                          {.max_new_tokens = tokens, .eos_token_id = no_token});
  };
  EXPECT_EQ(generate(positions).shape(), (Shape{1, positions + 1}));
  EXPECT_THROW(generate(positions + 1), InvalidArgument);
}

TEST_P(CausalEncoderTest, NoTokenSeesThoseBehindIt) {
  const PretrainedModel model = load(Task::causal_lm, {{"is_decoder", true}});
  Example changed = inputs();
  Literal ids = changed["input_ids"].convert(DType::i32);
  const int64_t tokens = ids.shape()[1];
  ids.mutable_data<int32_t>()[static_cast<size_t>(tokens - 1)] = 7;
  ASSERT_NE(ids, changed["input_ids"].convert(DType::i32));
  changed.set("input_ids", ids);
  const Literal before = model.predict(inputs()).row(0), after = model.predict(changed).row(0);
  EXPECT_EQ(before.rows(0, tokens - 1), after.rows(0, tokens - 1));
  EXPECT_NE(before.row(tokens - 1), after.row(tokens - 1));
}

TEST_P(CausalEncoderTest, OneThatSeesThemSaysSoAndDoesNotGenerate) {
  const PretrainedModel model = load(Task::causal_lm);
  EXPECT_NE(log_.lines().find(model.class_name() + ": is_decoder is false"), std::string::npos)
      << log_.lines();
  EXPECT_EQ(model.predict(inputs()), load(Task::masked_lm).predict(inputs()));
  load(Task::masked_lm, {{"is_decoder", true}});
  EXPECT_NE(log_.lines().find("ForMaskedLM: is_decoder is true"), std::string::npos);
  try {
    model.generate(Literal::of<int32_t>({5}).reshape({1, 1}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("{\"is_decoder\", true}"), std::string::npos)
        << error.what();
  }
}

TEST_P(CausalEncoderTest, GeneratesWithoutLayers) {
  const PretrainedModel model = PretrainedModel::from_config(
      PretrainedConfig::from_pretrained(golden_.folder(),
                                        {{"num_hidden_layers", 0}, {"is_decoder", true}}),
      Task::causal_lm, {}, {});
  const Literal ids = model.generate(Literal::of<int32_t>({5}).reshape({1, 1}),
                                     {.max_new_tokens = 4, .eos_token_id = no_token});
  EXPECT_EQ(ids.shape(), (Shape{1, 5}));
}

INSTANTIATE_TEST_SUITE_P(All, CausalEncoderTest,
                         testing::Values("bert", "big_bird", "electra", "roberta", "xlm-roberta",
                                         "camembert"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Blocks that a sequence is long enough for.
TEST(CausalBigBirdTest, ADecoderAttendsInFullAtAnyLength) {
  const Golden golden("big_bird");
  const auto load = [&](const char* attention) {
    return BigBirdForCausalLM::from_pretrained(golden.folder(),
                                               {.config = {{"is_decoder", true},
                                                           {"attention_type", attention},
                                                           {"block_size", 1},
                                                           {"num_random_blocks", 1}}});
  };
  const Example inputs = golden.inputs({"input_ids", "attention_mask", "token_type_ids"});
  EXPECT_EQ(load("block_sparse").predict(inputs), load("original_full").predict(inputs));
}

// A field that others have says nothing of one that is a decoder whatever stands there; null is as
// if it were left out.
TEST(CausalEncoderConfigTest, IsDecoderIsOfThoseThatHaveIt) {
  const CaughtLog log;
  const Literal prompt = Literal::of<int32_t>({3, 4}).reshape({1, 2});
  for (const char* value : {"false", "null", "true"}) {
    const TemporaryFolder folder;
    const Golden golden("gpt2");
    Config entries = Config::parse(io::read_file(golden.folder() + "/config.json"));
    entries.set("is_decoder", Config::parse(value));
    io::write_file(folder / "config.json", entries.text());
    io::write_file(folder / "model.safetensors",
                   io::read_file(golden.folder() + "/model.safetensors"));
    AutoModelForCausalLM::from_pretrained(folder / "").generate(prompt);
  }
  EXPECT_EQ(log.lines().find("is_decoder"), std::string::npos) << log.lines();
  const PretrainedModel bert = PretrainedModel::from_pretrained(
      golden_folder("bert"), Task::causal_lm, {.config = {{"is_decoder", Config()}}}, {});
  EXPECT_NE(log.lines().find("is_decoder is false"), std::string::npos) << log.lines();
}

TEST(CausalBertTest, ClassesAreNamedAsInTransformers) {
  const BertConfig sizes{.vocab_size = 20,
                         .hidden_size = 8,
                         .num_hidden_layers = 1,
                         .num_attention_heads = 2,
                         .intermediate_size = 8,
                         .is_decoder = true};
  const PretrainedModel model = BertLMHeadModel::from_config(sizes);
  EXPECT_EQ(model.class_name(), "BertLMHeadModel");
  EXPECT_EQ(model.network().name(), "bert_lm_head_model");
  const TemporaryFolder folder;
  model.save_pretrained(folder / "saved");
  const PretrainedModel again = AutoModelForCausalLM::from_pretrained(folder / "saved");
  EXPECT_TRUE(again.config().entries(Task::causal_lm).find("is_decoder")->boolean());
  const Literal prompt = Literal::of<int32_t>({3, 4}).reshape({1, 2});
  EXPECT_EQ(again.generate(prompt), model.generate(prompt));
}

}  // namespace
}  // namespace systolic
