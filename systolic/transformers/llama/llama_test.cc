// Llama and its relatives: what they generate (golden/make_generated.py), how files of older
// versions are read, what is refused. Their logits and losses are those of pretrained_test.cc.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/llama/llama_config.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

class LlamaTest : public testing::TestWithParam<std::string> {
 protected:
  PretrainedModel model() const { return AutoModelForCausalLM::from_pretrained(golden_.folder()); }

  Golden golden_{GetParam()};
  CaughtLog log_;
};

TEST_P(LlamaTest, GeneratesTheIdsOfTransformers) {
  const Example values = io::read_safetensors(golden_.folder() + "/generated.safetensors").tensors;
  const Example prompts{{"input_ids", values["input_ids"]},
                        {"attention_mask", values["attention_mask"]}};
  EXPECT_EQ(model().generate(prompts, {.max_new_tokens = 12, .eos_token_id = -1}),
            values["plain"].convert(DType::i32));
}

// The slots after those that are read hold what must not be seen.
TEST_P(LlamaTest, ScoresAreThoseWithoutACache) {
  const PretrainedModel model = this->model();
  const Architecture& architecture = model.config().architecture();
  const Decoder decoder(model.network(), architecture.body_name(), *architecture.decoder());
  const Literal ids = golden_.inputs({"input_ids"})["input_ids"].convert(DType::i32).rows(0, 1);
  const Literal whole = model.predict(ids);  // [1, 11, 60]
  Tensors caches = decoder.empty(1, 16);
  const Tensor all_ids(ids), starts = constant({0});
  for (int64_t read = 0, next = 3; next <= 11; read = next, next += 4) {
    const Tensor part = all_ids[{all, Slice{.begin = read, .end = next}}];
    const Literal scores =
        decoder.read(part, starts, constant(static_cast<int32_t>(read)), caches).literal();
    const Literal without = whole.row(0).rows(next - 1, next);
    EXPECT_LT(largest_difference(scores, without), output_tolerance) << next;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LlamaTest,
                         testing::Values("gemma", "gemma2", "gemma3_text", "llama", "mistral",
                                         "phi", "qwen2", "qwen3", "smollm3"),
                         [](const auto& info) { return info.param; });

PretrainedConfig config_of(const TemporaryFolder& folder, const std::string& json) {
  put_file(folder / "config.json", json);
  return PretrainedConfig::from_pretrained(folder / "");
}

// What versions before 5 wrote, and the same as it is written now.
TEST(LlamaConfigTest, ReadsOlderFiles) {
  const struct {
    const char *older, *field, *wanted;
  } table[] = {
      {R"({"model_type": "llama", "rope_theta": 500000.0})", "rope_parameters",
       R"({"rope_type": "default", "rope_theta": 500000.0})"},
      {R"({"model_type": "llama", "rope_theta": 5e5, "rope_scaling": null})", "rope_parameters",
       R"({"rope_type": "default", "rope_theta": 500000.0})"},
      {R"({"model_type": "llama", "rope_theta": 5e5, "rope_scaling": {"factor": 8.0,
           "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_type": "llama3",
           "original_max_position_embeddings": 8192}})",
       "rope_parameters",
       R"({"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0,
           "original_max_position_embeddings": 8192, "low_freq_factor": 1.0,
           "high_freq_factor": 4.0})"},
      {R"({"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 2.0}})",
       "rope_parameters", R"({"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0})"},
      {R"({"model_type": "phi", "partial_rotary_factor": 0.4})", "rope_parameters",
       R"({"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.4})"},
      {R"({"model_type": "gemma3_text", "rope_local_base_freq": 5000.0, "rope_theta": 7000.0})",
       "rope_parameters",
       R"({"full_attention": {"rope_type": "default", "rope_theta": 7000.0},
           "sliding_attention": {"rope_type": "default", "rope_theta": 5000.0}})"},
      {R"({"model_type": "gemma3_text", "num_hidden_layers": 3, "sliding_window_pattern": 2})",
       "layer_types", R"(["sliding_attention", "full_attention", "sliding_attention"])"},
      {R"({"model_type": "gemma2", "num_hidden_layers": 3})", "layer_types",
       R"(["sliding_attention", "full_attention", "sliding_attention"])"},
      {R"({"model_type": "qwen2", "num_hidden_layers": 2, "use_sliding_window": true,
           "max_window_layers": 1})",
       "layer_types", R"(["full_attention", "sliding_attention"])"},
      {R"({"model_type": "qwen3", "num_hidden_layers": 2, "max_window_layers": 1})", "layer_types",
       R"(["full_attention", "full_attention"])"},
      {R"({"model_type": "smollm3", "num_hidden_layers": 4, "vocab_size": 128256})",
       "no_rope_layers", "[1, 1, 1, 0]"},
  };
  const TemporaryFolder folder;
  for (const auto& row : table) {
    const Config saved = config_of(folder, row.older).entries(Task::causal_lm);
    EXPECT_EQ(saved[row.field], Config::parse(row.wanted)) << row.older << saved[row.field].text();
    const Config again = config_of(folder, saved.text()).entries(Task::causal_lm);
    EXPECT_EQ(again, saved) << row.older;
    EXPECT_EQ(saved.find("rope_theta"), nullptr);
  }
}

TEST(LlamaConfigTest, HeadsAreTiedAsTheKindHasIt) {
  const TemporaryFolder folder;
  const auto ties = [&](const char* json) {
    return config_of(folder, json).ties_word_embeddings();
  };
  EXPECT_FALSE(ties(R"({"model_type": "llama"})"));
  EXPECT_TRUE(ties(R"({"model_type": "llama", "tie_word_embeddings": true})"));
  EXPECT_TRUE(ties(R"({"model_type": "gemma"})"));
  EXPECT_FALSE(PretrainedConfig(LlamaConfig{}).ties_word_embeddings());
  const PretrainedConfig tied = config_of(folder, R"({"model_type": "qwen2",
                                                      "tie_word_embeddings": true})");
  EXPECT_TRUE(tied.entries(Task::causal_lm)["tie_word_embeddings"].boolean());
  EXPECT_EQ(config_of(folder, R"({"model_type": "qwen2"})")
                .entries(Task::causal_lm)
                .find("tie_word_embeddings"),
            nullptr);
}

TEST(LlamaConfigTest, WhatCannotBeIsNamed) {
  const struct {
    const char* json;
    std::vector<std::string> parts;
  } table[] = {
      {R"({"model_type": "llama", "num_attention_heads": 6, "num_key_value_heads": 4,
           "hidden_size": 48})",
       {"'num_key_value_heads'", "got 4", "a divisor of num_attention_heads, 6"}},
      {R"({"model_type": "llama", "hidden_size": 100})", {"'hidden_size'", "a multiple of 32"}},
      {R"({"model_type": "llama", "head_dim": 7})", {"heads of 7 numbers", "an even size"}},
      {R"({"model_type": "llama", "rope_scaling": {"rope_type": "longrope", "factor": 2}})",
       {"'rope_scaling': field 'rope_type'", "longrope", "llama3"}},
      {R"({"model_type": "llama", "rope_parameters": {"rope_type": "linear"}})",
       {"'rope_parameters': field 'factor'", "got none"}},
      {R"({"model_type": "llama", "rope_parameters": {"rope_type": "linear", "factor": 0}})",
       {"field 'factor'", "from 1 to"}},
      {R"({"model_type": "llama", "rope_parameters": {"short_factor": [1]}})",
       {"field 'short_factor'", "got [1]", "rope_type"}},
      {R"({"model_type": "llama", "rope_parameters": [1]})",
       {"'rope_parameters'", "got [1]", "an object of fields"}},
      {R"({"model_type": "llama", "rope_theta": 5, "rope_parameters": {"rope_theta": 6}})",
       {"'rope_theta'", "got 5", "6, as rope_parameters says"}},
      {R"({"model_type": "llama", "rope_parameters": {"rope_type": "llama3", "factor": 2,
           "high_freq_factor": 1}})",
       {"'high_freq_factor'", "got 1", "more than low_freq_factor, 1"}},
      {R"({"model_type": "llama", "rope_parameters": {"partial_rotary_factor": 0.001}})",
       {"one at least"}},
      {R"({"model_type": "llama", "pad_token_id": 32000})",
       {"'pad_token_id'", "got 32000", "below vocab_size, 32000"}},
      {R"({"model_type": "gemma2", "attn_logit_softcapping": 0})", {"'attn_logit_softcapping'"}},
      {R"({"model_type": "gemma2", "sliding_window": null})",
       {"'layer_types'", "a sliding_window for it"}},
      {R"({"model_type": "gemma2", "layer_types": ["full_attention"]})",
       {"'layer_types'", "got 1 layers", "num_hidden_layers, 26"}},
      {R"({"model_type": "qwen3", "layer_types": ["linear_attention"]})",
       {"'layer_types'", "linear_attention", "sliding_attention"}},
      {R"({"model_type": "gemma3_text", "use_bidirectional_attention": true})",
       {"'use_bidirectional_attention'", "got true"}},
      {R"({"model_type": "smollm3", "no_rope_layers": [1, 2]})", {"'no_rope_layers'", "got 2"}},
  };
  const TemporaryFolder folder;
  for (const auto& row : table) {
    const std::string message = message_of<Error>([&] { config_of(folder, row.json); });
    for (const std::string& part : row.parts)
      EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  }
}

// A program's own configuration is checked as a file's is; without a list there is the model's
// usual one.
TEST(LlamaConfigTest, LayersThatAreNotEachNamedAreRefused) {
  Qwen2Config config{.vocab_size = 20,
                     .hidden_size = 8,
                     .intermediate_size = 8,
                     .num_hidden_layers = 2,
                     .num_attention_heads = 2,
                     .num_key_value_heads = 2};
  EXPECT_GT(Qwen2Model::from_config(config).count_params(), 0);
  config.layer_types = {"full_attention"};
  const std::string message = message_of<InvalidArgument>([&] { Qwen2Model::from_config(config); });
  EXPECT_NE(message.find("layer_types"), std::string::npos) << message;
  EXPECT_NE(message.find("num_hidden_layers, 2"), std::string::npos) << message;
}

TEST(LlamaConfigTest, WhatGrowsWithTheTextEndsWithThePositions) {
  const PretrainedModel model =
      LlamaModel::from_config({.vocab_size = 20,
                               .hidden_size = 8,
                               .intermediate_size = 8,
                               .num_hidden_layers = 1,
                               .num_attention_heads = 2,
                               .max_position_embeddings = 4,
                               .rope_parameters = {.rope_type = "dynamic", .factor = 2}});
  EXPECT_EQ(model.predict(Literal::filled(DType::i32, {1, 4}, 3)).shape(), (Shape{1, 4, 8}));
  const std::string message = message_of<Error>([&] {
    model.predict(Literal::filled(DType::i32, {1, 5}, 3));
  });
  EXPECT_NE(message.find("max_position_embeddings, 4"), std::string::npos) << message;
}

}  // namespace
}  // namespace systolic
