// Decoders and encoder-decoders of transformers, each made small, without a
// file, and what is around them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

constexpr int64_t vocabulary = 50, length = 4, depth = 16;

using Shapes = std::vector<Shape>;
const Shapes hidden_states = {{-1, length, depth}}, next_tokens = {{-1, length, vocabulary}};
const Shapes text_classes = {{-1, 2}}, token_classes = {{-1, length, 2}};

Symbol tokens_called(const std::string& name) {
  return input({.shape = {length}, .dtype = DType::i32, .name = name});
}

template <class Class, class Config>
void expect_decoder(const std::string& name, const Config& config, const Shapes& wanted) {
  SCOPED_TRACE(name);
  const PretrainedModel model = Class::from_config(config);
  EXPECT_EQ(model.class_name(), name);
  const OutputSymbols outputs = model(tokens_called("input_ids"));
  ASSERT_EQ(outputs.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(outputs[i].shape(), wanted[i]);
}

// The file's defaults are those of the kind; here it is made small.
template <class Config>
Config small_decoder(const DecoderKind& kind) {
  Config config;
  EXPECT_EQ(config.hidden_size, kind.hidden_size);
  EXPECT_STREQ(Config::model_type, kind.model_type);
  config.vocab_size = vocabulary;
  config.hidden_size = depth;
  config.intermediate_size = 32;
  config.num_hidden_layers = 2;
  config.num_attention_heads = 2;
  config.num_key_value_heads = 1;
  config.pad_token_id = 0;
  if constexpr (requires { config.head_dim = 8; }) config.head_dim = 8;
  return config;
}

TEST(DecoderExamples, OnlySomeKindsHaveAField) {
  static_assert(std::is_same_v<decltype(PhiConfig::head_dim), NoField>);
  static_assert(!std::is_same_v<decltype(Qwen3Config::head_dim), NoField>);
  static_assert(std::is_same_v<LlamaConfig, LlamaConfigOf<decoder_kinds::llama>>);
}

TEST(DecoderExamples, Llama) {
  const LlamaConfig config = small_decoder<LlamaConfig>(decoder_kinds::llama);
  expect_decoder<LlamaForSequenceClassification>("LlamaForSequenceClassification", config,
                                                 text_classes);
}

TEST(DecoderExamples, SmolLM3) {
  const SmolLM3Config config = small_decoder<SmolLM3Config>(decoder_kinds::smollm3);
  expect_decoder<SmolLM3Model>("SmolLM3Model", config, hidden_states);
  expect_decoder<SmolLM3ForCausalLM>("SmolLM3ForCausalLM", config, next_tokens);
  expect_decoder<SmolLM3ForSequenceClassification>("SmolLM3ForSequenceClassification", config,
                                                   text_classes);
  expect_decoder<SmolLM3ForTokenClassification>("SmolLM3ForTokenClassification", config,
                                                token_classes);
}

TEST(DecoderExamples, Mistral) {
  const MistralConfig config = small_decoder<MistralConfig>(decoder_kinds::mistral);
  expect_decoder<MistralModel>("MistralModel", config, hidden_states);
  expect_decoder<MistralForCausalLM>("MistralForCausalLM", config, next_tokens);
  expect_decoder<MistralForSequenceClassification>("MistralForSequenceClassification", config,
                                                   text_classes);
  expect_decoder<MistralForTokenClassification>("MistralForTokenClassification", config,
                                                token_classes);
}

TEST(DecoderExamples, Qwen2) {
  const Qwen2Config config = small_decoder<Qwen2Config>(decoder_kinds::qwen2);
  expect_decoder<Qwen2Model>("Qwen2Model", config, hidden_states);
  expect_decoder<Qwen2ForCausalLM>("Qwen2ForCausalLM", config, next_tokens);
  expect_decoder<Qwen2ForSequenceClassification>("Qwen2ForSequenceClassification", config,
                                                 text_classes);
  expect_decoder<Qwen2ForTokenClassification>("Qwen2ForTokenClassification", config, token_classes);
}

TEST(DecoderExamples, Qwen3) {
  const Qwen3Config config = small_decoder<Qwen3Config>(decoder_kinds::qwen3);
  expect_decoder<Qwen3Model>("Qwen3Model", config, hidden_states);
  expect_decoder<Qwen3ForCausalLM>("Qwen3ForCausalLM", config, next_tokens);
  expect_decoder<Qwen3ForSequenceClassification>("Qwen3ForSequenceClassification", config,
                                                 text_classes);
  expect_decoder<Qwen3ForTokenClassification>("Qwen3ForTokenClassification", config, token_classes);
}

TEST(DecoderExamples, Gemma) {
  const GemmaConfig config = small_decoder<GemmaConfig>(decoder_kinds::gemma);
  expect_decoder<GemmaModel>("GemmaModel", config, hidden_states);
  expect_decoder<GemmaForCausalLM>("GemmaForCausalLM", config, next_tokens);
  expect_decoder<GemmaForSequenceClassification>("GemmaForSequenceClassification", config,
                                                 text_classes);
  expect_decoder<GemmaForTokenClassification>("GemmaForTokenClassification", config, token_classes);
}

TEST(DecoderExamples, Gemma2) {
  const Gemma2Config config = small_decoder<Gemma2Config>(decoder_kinds::gemma2);
  expect_decoder<Gemma2Model>("Gemma2Model", config, hidden_states);
  expect_decoder<Gemma2ForCausalLM>("Gemma2ForCausalLM", config, next_tokens);
  expect_decoder<Gemma2ForSequenceClassification>("Gemma2ForSequenceClassification", config,
                                                  text_classes);
  expect_decoder<Gemma2ForTokenClassification>("Gemma2ForTokenClassification", config,
                                               token_classes);
}

TEST(DecoderExamples, Phi) {
  const PhiConfig config = small_decoder<PhiConfig>(decoder_kinds::phi);
  expect_decoder<PhiModel>("PhiModel", config, hidden_states);
  expect_decoder<PhiForCausalLM>("PhiForCausalLM", config, next_tokens);
  expect_decoder<PhiForSequenceClassification>("PhiForSequenceClassification", config,
                                               text_classes);
  expect_decoder<PhiForTokenClassification>("PhiForTokenClassification", config, token_classes);
}

TEST(DecoderExamples, Gemma3) {
  const Gemma3TextConfig config = small_decoder<Gemma3TextConfig>(decoder_kinds::gemma3);
  expect_decoder<Gemma3TextModel>("Gemma3TextModel", config, hidden_states);
  expect_decoder<Gemma3ForCausalLM>("Gemma3ForCausalLM", config, next_tokens);
  expect_decoder<Gemma3TextForSequenceClassification>("Gemma3TextForSequenceClassification", config,
                                                      text_classes);
}

// What each writes about a text: states of the decoder, or the next tokens.
template <class Body, class Writer, class Config>
void expect_writer(const std::string& body, const std::string& writer, const Config& config) {
  const Symbol source = tokens_called("input_ids"), target = tokens_called("decoder_input_ids");
  const PretrainedModel features = Body::from_config(config), model = Writer::from_config(config);
  EXPECT_EQ(features.class_name(), body);
  EXPECT_EQ(model.class_name(), writer);
  EXPECT_EQ(features({{"input_ids", source}, {"decoder_input_ids", target}})[0].shape(),
            hidden_states[0]);
  EXPECT_EQ(model({{"input_ids", source}, {"decoder_input_ids", target}})[0].shape(),
            next_tokens[0]);
}

template <class Config>
Config small_t5(const T5Kind& kind) {
  Config config;
  EXPECT_EQ(config.num_layers, kind.num_layers);
  config.vocab_size = vocabulary;
  config.d_model = depth;
  config.d_kv = 8;
  config.d_ff = 32;
  config.num_layers = 1;
  config.num_heads = 2;
  return config;
}

TEST(WriterExamples, T5AndMT5) {
  static_assert(std::is_same_v<T5Config, T5ConfigOf<t5_kind>>);
  const T5Config t5 = small_t5<T5Config>(t5_kind);
  const MT5Config mt5 = small_t5<MT5Config>(mt5_kind);
  expect_writer<T5Model, T5ForConditionalGeneration>("T5Model", "T5ForConditionalGeneration", t5);
  expect_writer<MT5Model, MT5ForConditionalGeneration>("MT5Model", "MT5ForConditionalGeneration",
                                                       mt5);
}

template <class Config>
Config small_bart(const BartKind& kind) {
  Config config;
  EXPECT_EQ(config.vocab_size, kind.vocab_size);
  config.vocab_size = vocabulary;
  config.pad_token_id = 1;
  config.decoder_start_token_id = 2;
  config.d_model = depth;
  config.encoder_layers = config.decoder_layers = 1;
  config.encoder_ffn_dim = config.decoder_ffn_dim = 32;
  config.encoder_attention_heads = config.decoder_attention_heads = 2;
  return config;
}

TEST(WriterExamples, BartAndMarian) {
  static_assert(std::is_same_v<BartConfig, BartConfigOf<bart_kind>>);
  const BartConfig bart = small_bart<BartConfig>(bart_kind);
  const MarianConfig marian = small_bart<MarianConfig>(marian_kind);
  expect_writer<BartModel, BartForConditionalGeneration>("BartModel",
                                                         "BartForConditionalGeneration", bart);
  expect_writer<MarianModel, MarianMTModel>("MarianModel", "MarianMTModel", marian);
}

TEST(PictureExamples, ViTAndDeiT) {
  static_assert(std::is_same_v<ViTConfig, ViTConfigOf<ViTKind>> && DeiTKind::distills);
  DeiTConfig config;
  config.hidden_size = depth;
  config.num_hidden_layers = 1;
  config.num_attention_heads = 2;
  config.intermediate_size = 32;
  config.image_size = 32;
  const PretrainedModel model = PretrainedModel::from_config(
      config, Task::features, {.add_pooling_layer = false}, SourceLocation::current());
  const Symbol pictures = input({.shape = {32, 32, 3}, .name = "pixel_values"});
  // Four patches of 16 x 16, the token of the class and that of distillation.
  EXPECT_EQ(model(pictures)[0].shape(), (Shape{-1, 4 + 2, depth}));
}

TEST(TransformersParts, AutoClassesAndArchitectures) {
  static_assert(std::is_same_v<AutoModel, AutoClass<Task::features>>);
  static_assert(std::is_same_v<BertModel, ArchitectureClass<BertConfig, Task::features>>);
  const auto bert = architecture_of("bert", SourceLocation::current());
  EXPECT_EQ(bert->class_name(Task::masked_lm), "BertForMaskedLM");
  EXPECT_EQ(bert->max_tokens(), 512);
  EXPECT_THROW(architecture_of("bort", SourceLocation::current()), Unimplemented);
}

TEST(TransformersParts, ScoresOfClasses) {
  const std::vector<float> logits = {0, std::log(3.f)};
  const Labels labels{.names = {"NEGATIVE", "POSITIVE"}};
  const std::vector<ClassScore> best = class_scores(logits, labels, "softmax", 1);
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best.front().label, "POSITIVE");
  EXPECT_NEAR(best.front().score, 0.75, 1e-6);
  const std::vector<double> values = {0.1, 0.7, 0.2};
  EXPECT_EQ(places_of_largest(values, 2), (std::vector<size_t>{1, 2}));
}

TEST(TransformersParts, HypothesesOfZeroShotClassification) {
  EXPECT_EQ(hypotheses_of({"sport", "politics"}, "This is about {}.", SourceLocation::current()),
            (std::vector<std::string>{"This is about sport.", "This is about politics."}));
  EXPECT_TRUE(contains_any("encoder.layer.0.bias", {"bias", "LayerNorm"}));
}

TEST(TransformersParts, TokensThatEndAText) {
  const TokenIds one = 50256, several = {198, 50256};
  EXPECT_EQ(one.ids, (std::vector<int64_t>{50256}));
  const GenerationConfig config{.eos_token_id = several};
  EXPECT_EQ(config.eos_token_id.ids.size(), 2U);
}

TEST(TransformersParts, OptionsOfSaving) {
  const SavePretrainedOptions halves{.dtype = DType::bf16, .max_shard_size = 1 << 20};
  const std::string folder = testing::TempDir() + "examples_of_saving";
  const BartConfig bart = small_bart<BartConfig>(bart_kind);
  BartModel::from_config(bart).save_pretrained(folder, halves);
  EXPECT_EQ(AutoModel::from_pretrained(folder).class_name(), "BartModel");
}

TEST(TransformersParts, QuestionsAsRowsOfTokens) {
  QaFeature row;
  row.input_ids = {5, 6, 7};
  row.token_type_ids = {0, 0, 1};
  const data::Dataset rows = qa_dataset({row}, /*labelled=*/false);
  for (const Example& element : rows) expect_numbers(numbers(element["input_ids"]), {5, 6, 7});
}

}  // namespace
}  // namespace systolic
