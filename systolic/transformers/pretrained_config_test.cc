#include "systolic/transformers/pretrained_config.h"

#include <gtest/gtest.h>

#include "systolic/base/sanitized.h"
#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

const BertConfig& bert_fields(const PretrainedConfig& config) {
  return dynamic_cast<const ArchitectureOf<BertConfig>&>(config.architecture()).config();
}

TEST(PretrainedConfigTest, FieldsThatTheFileLeavesOutHaveTheirDefaults) {
  const TemporaryFolder folder;
  put_file(folder / "config.json",
           R"({"model_type": "bert", "hidden_size": 96, "num_attention_heads": 3,
               "classifier_dropout": null, "pad_token_id": null, "layer_norm_eps": 1,
               "num_labels": 4, "gradient_checkpointing": false})");
  const PretrainedConfig config = PretrainedConfig::from_pretrained(folder / "");
  const BertConfig& fields = bert_fields(config);
  EXPECT_EQ(fields.hidden_size, 96);
  EXPECT_EQ(fields.num_hidden_layers, 12);
  EXPECT_EQ(fields.layer_norm_eps, 1);
  EXPECT_FALSE(fields.pad_token_id);
  EXPECT_EQ(config.labels().names,
            (std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2", "LABEL_3"}));
  const Config saved = config.entries(Task::masked_lm);
  EXPECT_EQ(saved["architectures"].text(), R"(["BertForMaskedLM"])");
  EXPECT_EQ(saved["hidden_size"].integer(), 96);
  EXPECT_EQ(saved["gradient_checkpointing"].text(), "false");
  EXPECT_EQ(saved["id2label"]["3"].text_value(), "LABEL_3");
}

TEST(PretrainedConfigTest, WindowsOfALongformer) {
  EXPECT_EQ(LongformerConfig{}.attention_window, std::vector<int64_t>{512});
  const TemporaryFolder folder;
  const struct {
    const char *json, *message;
  } table[] = {{R"({"model_type": "longformer", "attention_window": 7})", "even"},
               {R"({"model_type": "longformer", "attention_window": [4, 4]})", "2 numbers"},
               {R"({"model_type": "longformer", "attention_window": -2})", "attention_window"}};
  for (const auto& row : table) {
    put_file(folder / "config.json", row.json);
    expect_parts(message_of([&] { PretrainedConfig::from_pretrained(folder / ""); }),
                 {row.message});
  }
}

// As transformers: one that asks for it has its effect, and is saved without it.
TEST(PretrainedConfigTest, GradientCheckpointingOfAFile) {
  const TemporaryFolder folder;
  put_file(folder / "config.json", R"({"model_type": "bert", "gradient_checkpointing": true})");
  PretrainedConfig config = PretrainedConfig::from_pretrained(folder / "");
  EXPECT_TRUE(config.gradient_checkpointing());
  EXPECT_EQ(config.entries(Task::masked_lm).find("gradient_checkpointing"), nullptr);
  config.set_fields({{"gradient_checkpointing", false}}, {});
  EXPECT_FALSE(config.gradient_checkpointing());
}

TEST(PretrainedConfigTest, OptionsStandInPlaceOfTheFile) {
  const TemporaryFolder folder;
  put_file(folder / "config.json",
           R"({"model_type": "bert", "id2label": {"1": "good", "0": "bad"}})");
  PretrainedConfig config = PretrainedConfig::from_pretrained(
      folder / "", {{"hidden_dropout_prob", 0.0}, {"num_hidden_layers", 3}});
  EXPECT_EQ(bert_fields(config).hidden_dropout_prob, 0);
  EXPECT_EQ(bert_fields(config).num_hidden_layers, 3);
  config.set_labels({.num_labels = 2}, {});
  EXPECT_EQ(config.labels().names, (std::vector<std::string>{"bad", "good"}));
  config.set_labels({.num_labels = 1}, {});
  EXPECT_EQ(config.labels().names, std::vector<std::string>{"LABEL_0"});
}

struct BadConfig {
  const char* text;
  std::vector<std::string> message;  // parts of it
};

TEST(PretrainedConfigTest, WhatCannotBeReadIsNamed) {
  const std::string deep(100'000, '[');
  const std::vector<BadConfig> cases = {
      {R"({"model_type": "bret"})", {"\"bret\"", "albert, bart, bert, big_bird"}},
      {R"({"hidden_size": 3})", {"'model_type'", "got none"}},
      {R"({"model_type": "bert", "id2label": {}})", {"'id2label'", "an empty object"}},
      {R"({"model_type": 3})", {"'model_type'", "got 3", "expected text"}},
      {R"({"model_type": "bert", "hidden_size": "32"})",
       {"'hidden_size'", "got \"32\"", "integer"}},
      {R"({"model_type": "bert", "hidden_size": 32.5})", {"'hidden_size'", "got 32.5", "integer"}},
      {R"({"model_type": "bert", "hidden_size": -1})", {"'hidden_size'", "got -1", "from 1 to"}},
      {R"({"model_type": "bert", "num_hidden_layers": 1000000000000})",
       {"'num_hidden_layers'", "from 0 to 512"}},
      {R"({"model_type": "bert", "vocab_size": 99999999999999999999999})", {"'vocab_size'"}},
      {R"({"model_type": "bert", "hidden_size": 2147483648})", {"'hidden_size'", "2147483648"}},
      {R"({"model_type": "bert", "hidden_size": -0})", {"'hidden_size'", "from 1 to"}},
      {R"({"model_type": "bert", "hidden_size": 1e400})", {"config.json"}},
      {R"({"model_type": "bert", "layer_norm_eps": NaN})", {"not JSON"}},
      {R"({"model_type": "bert", "hidden_dropout_prob": 1.5})", {"'hidden_dropout_prob'", "1.5"}},
      {R"({"model_type": "bert", "hidden_size": 30})", {"'hidden_size'", "a multiple of 12"}},
      {R"({"model_type": "bert", "hidden_act": "gleu"})", {"'hidden_act'", "\"gleu\"", "gelu_new"}},
      {R"({"model_type": "bert", "id2label": {"0": "a", "2": "b"}})", {"'id2label'", "\"2\""}},
      {R"({"model_type": "bert", "id2label": ["a"]})", {"'id2label'", "[\"a\"]"}},
      {R"({"model_type": "bert", "problem_type": "guessing"})", {"'problem_type'", "regression"}},
      {R"({"model_type": "bert", "position_embedding_type": "relative_key"})",
       {"'position_embedding_type'", "got \"relative_key\"", "\"absolute\""}},
      {R"({"model_type": "albert", "is_decoder": true})", {"'is_decoder'", "got true", "false"}},
      {R"({"model_type": "roberta", "add_cross_attention": true})", {"'add_cross_attention'"}},
      {R"({"model_type": "roberta", "max_position_embeddings": 8, "pad_token_id": 7})",
       {"'max_position_embeddings'", "got 8", "at least 9"}},
      {R"({"model_type": "gpt2", "add_cross_attention": true})", {"'add_cross_attention'"}},
      {R"({"model_type": "xlnet", "summary_use_proj": false})", {"'summary_use_proj'"}},
      {R"({"model_type": "xlnet", "summary_activation": "relu"})", {"'summary_activation'"}},
      {R"({"model_type": "bert", "vocab_size": 18446744073709551615})", {"'vocab_size'"}},
      {R"({"model_type": "bert", "tie_word_embeddings": null})",  // as transformers has it
       {"'tie_word_embeddings'", "got null", "true or false"}},
      {R"({"model_type": "bert", "pruned_heads": {"1": [0, 2]}})",
       {"'pruned_heads'", "{\"1\": [0, 2]}", "before heads were pruned"}},
      {R"({"model_type": "gpt2", "quantization_config": {"load_in_8bit": true}})",
       {"'quantization_config'", "load_in_8bit", "dequantize()"}},
      {R"(["bert"])", {"an object of fields"}},
      {R"({"model_type": "bert")", {"not JSON"}},
      {deep.c_str(), {"nested deeper"}},
      {"", {"not JSON"}},
  };
  const TemporaryFolder folder;
  for (const BadConfig& one : cases) {
    put_file(folder / "config.json", one.text);
    try {
      PretrainedConfig::from_pretrained(folder / "");
      ADD_FAILURE() << "read " << one.text;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("config.json"), std::string::npos) << message;
      for (const std::string& part : one.message)
        EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
    }
  }
}

// A hostile file may hold values of any length.
TEST(PretrainedConfigTest, ValuesInMessagesAreCut) {
  const TemporaryFolder folder;
  const std::string text = str("\"", std::string(1'000'000, 'x'), "\"");
  for (const char* field :
       {"model_type", "hidden_act", "hidden_size", "id2label", "problem_type", "pruned_heads",
        "is_decoder", "tie_word_embeddings", "layer_norm_eps", "pad_token_id"}) {
    put_file(folder / "config.json", str(R"({"model_type": "bert", ")", field, "\": ", text, "}"));
    const std::string message =
        message_of<Error>([&] { PretrainedConfig::from_pretrained(folder / ""); });
    EXPECT_CONTAINS(message, "config.json");
    EXPECT_LT(message.size(), 1000u) << field;
  }
}

TEST(PretrainedConfigTest, ANameIsNoFolder) {
  const std::string message = message_of<NotFound>([] { AutoModel::from_pretrained("bert-base"); });
  expect_parts(message, {"no model in 'bert-base'", "downloaded first", "_test.cc"});
  const std::string file = golden_folder("bert") + "/config.json";
  expect_parts(message_of<NotFound>([&] { AutoModel::from_pretrained(file); }),
               {"config.json', got a file", "name the folder that it lies in"});
}

TEST(PretrainedConfigTest, AFieldThatTheArchitectureLacksIsNamed) {
  const TemporaryFolder folder;
  put_file(folder / "config.json", R"({"model_type": "bert"})");
  try {
    PretrainedConfig::from_pretrained(folder / "", {{"hiden_size", 3}});
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'hidden_size'"), std::string::npos)
        << error.what();
  }
}

TEST(PretrainedConfigTest, AHeadMayBeAnotherThanTheWordsTable) {
  const TemporaryFolder folder;
  put_file(folder / "config.json",
           R"({"model_type": "gpt2", "n_embd": 24, "n_head": 2, "tie_word_embeddings": false})");
  const PretrainedConfig config = PretrainedConfig::from_pretrained(folder / "");
  EXPECT_EQ(config.entries(Task::features)["tie_word_embeddings"].text(), "false");
  EXPECT_NO_THROW(AutoModel::from_config(config));
  EXPECT_EQ(AutoModelForCausalLM::from_config(config).network().named_weights().back().path,
            "lm_head/kernel");
}

TEST(PretrainedConfigTest, FieldsGoOverThoseOfAStructToo) {
  const BertConfig small{.vocab_size = 60,
                         .hidden_size = 24,
                         .num_hidden_layers = 2,
                         .num_attention_heads = 2,
                         .intermediate_size = 32};
  const PretrainedModel model = BertModel::from_config(
      small, {.config = {{"hidden_dropout_prob", 0.0}, {"num_hidden_layers", 1}}});
  const Config entries = model.config().entries(Task::features);
  EXPECT_EQ(entries["hidden_dropout_prob"].text(), "0.0");
  EXPECT_EQ(entries["num_hidden_layers"].text(), "1");
  EXPECT_EQ(entries["hidden_size"].text(), "24");
  EXPECT_LT(model.count_params(), BertModel::from_config(small).count_params());
  EXPECT_THROW(BertModel::from_config(small, {.config = {{"hidden_sizes", 1}}}), NotFound);
}

TEST(PretrainedConfigTest, FieldsWithOneValueMayBeSaidAndAreKept) {
  const TemporaryFolder folder;
  put_file(folder / "config.json",
           R"({"model_type": "bert", "is_decoder": false, "position_embedding_type": "absolute",
               "pruned_heads": {}, "quantization_config": null})");
  const PretrainedConfig config =
      PretrainedConfig::from_pretrained(folder / "", {{"add_cross_attention", false}});
  const Config saved = config.entries(Task::features);
  EXPECT_EQ(saved["position_embedding_type"].text_value(), "absolute");
  EXPECT_EQ(saved["is_decoder"].text(), "false");
  EXPECT_EQ(saved["pruned_heads"].text(), "{}");
  EXPECT_EQ(saved.find("summary_activation"), nullptr);
}

TEST(PretrainedConfigTest, OwnEndsOfTextsAreKept) {
  const GPT2Config small{.vocab_size = 40,
                         .n_positions = 8,
                         .n_embd = 4,
                         .n_layer = 1,
                         .n_head = 1,
                         .bos_token_id = 3,
                         .eos_token_id = 5};
  const TemporaryFolder folder;
  PretrainedModel model = GPT2LMHeadModel::from_config(small);
  for (const bool read_again : {false, true}) {
    if (read_again) model = GPT2LMHeadModel::from_pretrained(folder / "");
    const Config saved = model.config().entries(Task::causal_lm);
    EXPECT_EQ(saved["bos_token_id"].text(), "3");
    EXPECT_EQ(saved["eos_token_id"].text(), "5");
    model.save_pretrained(folder / "");
  }
}

TEST(PretrainedConfigTest, OptionsHoldForStructsToo) {
  const PretrainedModel model = BertModel::from_config(
      {.hidden_size = 24, .num_hidden_layers = 1, .num_attention_heads = 2, .intermediate_size = 8},
      {.config = {{"hidden_dropout_prob", 0.0}, {"num_labels", 5}}});
  EXPECT_EQ(bert_fields(model.config()).hidden_dropout_prob, 0);
  EXPECT_EQ(bert_fields(model.config()).hidden_size, 24);
  EXPECT_EQ(model.config().labels().count(), 5);
  EXPECT_THROW(BertModel::from_config({}, {.config = {{"hiden_size", 3}}}), NotFound);
  EXPECT_THROW(BertModel::from_config({}, {.config = {{"add_cross_attention", true}}}),
               Unimplemented);
  const std::string message = message_of<InvalidArgument>([] {
    BertModel::from_config({}, {.config = {{"hidden_size", "x"}}});
  });
  EXPECT_EQ(message.find(".config: field 'hidden_size', got"), 0u) << message;
}

TEST(PretrainedConfigTest, AProblemTypeIsOneOfThree) {
  PretrainedConfig config = BertConfig{};
  const std::string message = message_of<InvalidArgument>(
      [&] { config.set_labels({.num_labels = 1, .problem_type = "Regression"}, {}); });
  expect_parts(message, {"\"Regression\"", "regression, single_label_classification"});
  config.set_labels({.num_labels = 1, .problem_type = "regression"}, {});
  EXPECT_EQ(config.labels().problem_type, "regression");
}

TEST(PretrainedConfigTest, AMillionFieldsAreReadInTimeInProportion) {
  const TemporaryFolder folder;
  std::string text = R"({"model_type": "bert")";
  const int last = is_sanitized ? 89'999 : 899'999;
  for (int i = 0; i <= last; ++i) text += str(",\"k", i, "\":0");
  put_file(folder / "config.json", text + "}");
  const PretrainedConfig config = PretrainedConfig::from_pretrained(folder / "");
  EXPECT_EQ(config.entries(Task::features)[str("k", last)].integer(), 0);
  put_file(folder / "config.json", text + ",\"k0\":1,\"k\":\"" + std::string(16 << 20, 'x'));
  EXPECT_THROW(PretrainedConfig::from_pretrained(folder / ""), ResourceExhausted);
}

TEST(PretrainedConfigTest, OfTwoFieldsOfOneNameTheLastHolds) {
  const TemporaryFolder folder;
  put_file(folder / "config.json",
           R"({"hidden_size": 12, "model_type": "bert", "hidden_size": 24})");
  EXPECT_EQ(bert_fields(PretrainedConfig::from_pretrained(folder / "")).hidden_size, 24);
}

TEST(PretrainedConfigTest, BoundsHoldForStructsToo) {
  EXPECT_THROW(BertModel::from_config({.hidden_size = 30}), InvalidArgument);
  EXPECT_THROW(AutoModel::from_config(BertConfig{.hidden_act = "?"}), InvalidArgument);
  EXPECT_THROW(AutoModelForImageClassification::from_config(BertConfig{}), Unimplemented);
}

}  // namespace
}  // namespace systolic
