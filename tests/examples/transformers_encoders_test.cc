// The classes of transformers: each is made small, without a file, and says what it gives.
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

constexpr int64_t words = 50, tokens = 4, width = 16;

// Shapes as Keras prints them, without the batch: what a class gives for texts of four tokens.
using Shapes = std::vector<Shape>;
const Shapes states = {{-1, tokens, width}}, classes = {{-1, 2}},
             classes_of_tokens = {{-1, tokens, 2}};
const Shapes spans = {{-1, tokens}, {-1, tokens}}, scores = {{-1, tokens, words}};

template <class Class, class Config>
void expect_class(const std::string& name, const Config& config, const Shapes& wanted) {
  SCOPED_TRACE(name);
  const PretrainedModel model = Class::from_config(config, {.add_pooling_layer = false});
  EXPECT_EQ(model.class_name(), name);
  const Symbol ids = input({.shape = {tokens}, .dtype = DType::i32, .name = "input_ids"});
  const OutputSymbols outputs = model(ids);
  ASSERT_EQ(outputs.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(outputs[i].shape(), wanted[i]);
}

template <class Config>
Config small_encoder() {
  Config config;
  config.vocab_size = words;
  config.hidden_size = width;
  config.num_hidden_layers = 1;
  config.num_attention_heads = 2;
  config.intermediate_size = 32;
  if constexpr (requires { config.embedding_size; }) config.embedding_size = 8;
  if constexpr (requires { config.is_decoder; }) config.is_decoder = true;
  return config;
}

TEST(TransformersExamples, DistilBert) {
  DistilBertConfig config;
  config.vocab_size = words;
  config.dim = width;
  config.n_layers = 1;
  config.n_heads = 2;
  config.hidden_dim = 32;
  expect_class<DistilBertForSequenceClassification>("DistilBertForSequenceClassification", config,
                                                    classes);
  expect_class<DistilBertForTokenClassification>("DistilBertForTokenClassification", config,
                                                 classes_of_tokens);
  expect_class<DistilBertForQuestionAnswering>("DistilBertForQuestionAnswering", config, spans);
  expect_class<DistilBertForMaskedLM>("DistilBertForMaskedLM", config, scores);
}

TEST(TransformersExamples, Roberta) {
  const RobertaConfig config = small_encoder<RobertaConfig>();
  static_assert(std::is_same_v<RobertaConfig, RobertaConfigOf<RobertaKind>>);
  EXPECT_EQ(RobertaConfig{}.hidden_size, RobertaDefaults::hidden_size);
  expect_class<RobertaForSequenceClassification>("RobertaForSequenceClassification", config,
                                                 classes);
  expect_class<RobertaForTokenClassification>("RobertaForTokenClassification", config,
                                              classes_of_tokens);
  expect_class<RobertaForQuestionAnswering>("RobertaForQuestionAnswering", config, spans);
  expect_class<RobertaForMaskedLM>("RobertaForMaskedLM", config, scores);
  expect_class<RobertaForCausalLM>("RobertaForCausalLM", config, scores);
}

TEST(TransformersExamples, XLMRoberta) {
  const XLMRobertaConfig config = small_encoder<XLMRobertaConfig>();
  EXPECT_STREQ(XLMRobertaKind::model_type, "xlm-roberta");
  EXPECT_STREQ(XLMRobertaXLKind::model_type, "xlm-roberta-xl");
  expect_class<XLMRobertaModel>("XLMRobertaModel", config, states);
  expect_class<XLMRobertaForSequenceClassification>("XLMRobertaForSequenceClassification", config,
                                                    classes);
  expect_class<XLMRobertaForTokenClassification>("XLMRobertaForTokenClassification", config,
                                                 classes_of_tokens);
  expect_class<XLMRobertaForQuestionAnswering>("XLMRobertaForQuestionAnswering", config, spans);
  expect_class<XLMRobertaForMaskedLM>("XLMRobertaForMaskedLM", config, scores);
  expect_class<XLMRobertaForCausalLM>("XLMRobertaForCausalLM", config, scores);
  const CamembertConfig french = small_encoder<CamembertConfig>();
  expect_class<CamembertForMaskedLM>("CamembertForMaskedLM", french, scores);
}

TEST(TransformersExamples, Albert) {
  const AlbertConfig config = small_encoder<AlbertConfig>();
  expect_class<AlbertModel>("AlbertModel", config, states);
  expect_class<AlbertForSequenceClassification>("AlbertForSequenceClassification", config, classes);
  expect_class<AlbertForTokenClassification>("AlbertForTokenClassification", config,
                                             classes_of_tokens);
  expect_class<AlbertForQuestionAnswering>("AlbertForQuestionAnswering", config, spans);
  expect_class<AlbertForMaskedLM>("AlbertForMaskedLM", config, scores);
}

TEST(TransformersExamples, Electra) {
  const ElectraConfig config = small_encoder<ElectraConfig>();
  expect_class<ElectraModel>("ElectraModel", config, states);
  expect_class<ElectraForSequenceClassification>("ElectraForSequenceClassification", config,
                                                 classes);
  expect_class<ElectraForTokenClassification>("ElectraForTokenClassification", config,
                                              classes_of_tokens);
  expect_class<ElectraForQuestionAnswering>("ElectraForQuestionAnswering", config, spans);
  expect_class<ElectraForMaskedLM>("ElectraForMaskedLM", config, scores);
  expect_class<ElectraForCausalLM>("ElectraForCausalLM", config, scores);
  const Shapes replaced = {{-1, tokens}};
  expect_class<ElectraForPreTraining>("ElectraForPreTraining", config, replaced);
  expect_class<AutoModelForPreTraining>("ElectraForPreTraining", config, replaced);
}

TEST(TransformersExamples, BigBird) {
  BigBirdConfig config = small_encoder<BigBirdConfig>();
  config.attention_type = "original_full";
  expect_class<BigBirdForTokenClassification>("BigBirdForTokenClassification", config,
                                              classes_of_tokens);
  expect_class<BigBirdForMaskedLM>("BigBirdForMaskedLM", config, scores);
}

TEST(TransformersExamples, GPT2) {
  GPT2Config config;
  config.vocab_size = words;
  config.n_embd = width;
  config.n_layer = 1;
  config.n_head = 2;
  config.pad_token_id = 0;
  expect_class<GPT2ForSequenceClassification>("GPT2ForSequenceClassification", config, classes);
  expect_class<GPT2ForQuestionAnswering>("GPT2ForQuestionAnswering", config, spans);
}

}  // namespace
}  // namespace systolic
