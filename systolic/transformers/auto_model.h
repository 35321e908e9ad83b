// Models from a folder, by the architecture that its config.json names (Hugging Face's Auto
// classes).
//
//   auto model = AutoModelForSequenceClassification::from_pretrained("minilm/", {.num_labels = 2});
//   auto bert = BertModel::from_pretrained("minilm/");                // only that architecture
//   auto fresh = BertForMaskedLM::from_config({.num_hidden_layers = 2});
//
// All give a PretrainedModel (transformers/pretrained_model.h).
#pragma once

#include <string>
#include <utility>

#include "systolic/transformers/albert/albert_config.h"
#include "systolic/transformers/bart/bart_config.h"
#include "systolic/transformers/beit/beit_config.h"
#include "systolic/transformers/bert/bert_config.h"
#include "systolic/transformers/big_bird/big_bird_config.h"
#include "systolic/transformers/clip/clip_config.h"
#include "systolic/transformers/convnext/convnext_config.h"
#include "systolic/transformers/deberta/deberta_config.h"
#include "systolic/transformers/dinov2/dinov2_config.h"
#include "systolic/transformers/distilbert/distilbert_config.h"
#include "systolic/transformers/electra/electra_config.h"
#include "systolic/transformers/gpt2/gpt2_config.h"
#include "systolic/transformers/llama/llama_config.h"
#include "systolic/transformers/longformer/longformer_config.h"
#include "systolic/transformers/modernbert/modernbert_config.h"
#include "systolic/transformers/mpnet/mpnet_config.h"
#include "systolic/transformers/pretrained_model.h"
#include "systolic/transformers/resnet/resnet_config.h"
#include "systolic/transformers/roberta/roberta_config.h"
#include "systolic/transformers/siglip/siglip_config.h"
#include "systolic/transformers/swin/swin_config.h"
#include "systolic/transformers/t5/t5_config.h"
#include "systolic/transformers/vit/vit_config.h"
#include "systolic/transformers/whisper/whisper_config.h"
#include "systolic/transformers/xlnet/xlnet_config.h"

namespace systolic::inline v0 {

template <Task task>
struct AutoClass {
  // Reads the folder's config.json, and its weights in any form of
  // io/tensors/folder/tensor_folder.h. One error lists everything that does not fit; a head that
  // the folder lacks starts fresh, and a log line says so.
  static PretrainedModel from_pretrained(const std::string& folder,
                                         const PretrainedOptions& options = {},
                                         SourceLocation location = SourceLocation::current()) {
    return PretrainedModel::from_pretrained(folder, task, options, location);
  }
  // The weights start fresh.
  static PretrainedModel from_config(PretrainedConfig config, const PretrainedOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) {
    return PretrainedModel::from_config(std::move(config), task, options, location);
  }
};

// The body alone, without a head: its features, such as last_hidden_state.
using AutoModel = AutoClass<Task::features>;
// A class, or a number, for each text: logits [batch, labels].
using AutoModelForSequenceClassification = AutoClass<Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using AutoModelForTokenClassification = AutoClass<Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using AutoModelForQuestionAnswering = AutoClass<Task::question_answering>;
// The tokens that masks hide: logits [batch, tokens, vocab_size].
using AutoModelForMaskedLM = AutoClass<Task::masked_lm>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using AutoModelForCausalLM = AutoClass<Task::causal_lm>;
// An encoder-decoder, which writes a text about another: T5, BART, Marian.
using AutoModelForSeq2SeqLM = AutoClass<Task::seq2seq_lm>;
// What an architecture is pretrained with: ELECTRA's discriminator, which tells which tokens were
// replaced.
using AutoModelForPreTraining = AutoClass<Task::pretraining>;
// A class for each picture: logits [batch, labels].
using AutoModelForImageClassification = AutoClass<Task::image_classification>;

// One architecture's class. InvalidArgument for a folder of another.
template <class Config, Task task>
struct ArchitectureClass {
  static PretrainedModel from_pretrained(const std::string& folder,
                                         const PretrainedOptions& options = {},
                                         SourceLocation location = SourceLocation::current()) {
    PretrainedConfig config = PretrainedConfig::from_pretrained(folder, options.config, location);
    config.take_part(Config::model_type);
    config.check_model_type(Config::model_type, folder, location);
    return PretrainedModel::from_pretrained(folder, std::move(config), task, options, location);
  }
  // With that configuration instead of the folder's.
  static PretrainedModel from_pretrained(const std::string& folder, Config config,
                                         const PretrainedOptions& options = {},
                                         SourceLocation location = SourceLocation::current()) {
    return PretrainedModel::from_pretrained(folder, PretrainedConfig(std::move(config)), task,
                                            options, location);
  }
  static PretrainedModel from_config(Config config, const PretrainedOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) {
    return PretrainedModel::from_config(std::move(config), task, options, location);
  }
};

// BERT's body: last_hidden_state [batch, tokens, hidden_size] and pooler_output [batch,
// hidden_size].
using BertModel = ArchitectureClass<BertConfig, Task::features>;
// A class for each text: logits [batch, labels].
using BertForSequenceClassification = ArchitectureClass<BertConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using BertForTokenClassification = ArchitectureClass<BertConfig, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using BertForQuestionAnswering = ArchitectureClass<BertConfig, Task::question_answering>;
// The tokens that masks hide: logits [batch, tokens, vocab_size].
using BertForMaskedLM = ArchitectureClass<BertConfig, Task::masked_lm>;
// The next token, where is_decoder makes it read from left to right: logits [batch, tokens,
// vocab_size].
using BertLMHeadModel = ArchitectureClass<BertConfig, Task::causal_lm>;

// DistilBERT's body: last_hidden_state [batch, tokens, dim].
using DistilBertModel = ArchitectureClass<DistilBertConfig, Task::features>;
// A class for each text: logits [batch, labels].
using DistilBertForSequenceClassification =
    ArchitectureClass<DistilBertConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using DistilBertForTokenClassification =
    ArchitectureClass<DistilBertConfig, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using DistilBertForQuestionAnswering =
    ArchitectureClass<DistilBertConfig, Task::question_answering>;
// The tokens that masks hide: logits [batch, tokens, vocab_size].
using DistilBertForMaskedLM = ArchitectureClass<DistilBertConfig, Task::masked_lm>;

// RoBERTa's body; its features are BERT's.
using RobertaModel = ArchitectureClass<RobertaConfig, Task::features>;
// A class for each text: logits [batch, labels].
using RobertaForSequenceClassification =
    ArchitectureClass<RobertaConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using RobertaForTokenClassification = ArchitectureClass<RobertaConfig, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using RobertaForQuestionAnswering = ArchitectureClass<RobertaConfig, Task::question_answering>;
// The tokens that masks hide: logits [batch, tokens, vocab_size].
using RobertaForMaskedLM = ArchitectureClass<RobertaConfig, Task::masked_lm>;
// The next token, where is_decoder makes it read from left to right: logits [batch, tokens,
// vocab_size].
using RobertaForCausalLM = ArchitectureClass<RobertaConfig, Task::causal_lm>;

// XLM-RoBERTa's body, of a hundred languages; its features are BERT's.
using XLMRobertaModel = ArchitectureClass<XLMRobertaConfig, Task::features>;
// A class for each text: logits [batch, labels].
using XLMRobertaForSequenceClassification =
    ArchitectureClass<XLMRobertaConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using XLMRobertaForTokenClassification =
    ArchitectureClass<XLMRobertaConfig, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using XLMRobertaForQuestionAnswering =
    ArchitectureClass<XLMRobertaConfig, Task::question_answering>;
// The tokens that masks hide: logits [batch, tokens, vocab_size].
using XLMRobertaForMaskedLM = ArchitectureClass<XLMRobertaConfig, Task::masked_lm>;
// The next token, where is_decoder makes it read from left to right: logits [batch, tokens,
// vocab_size].
using XLMRobertaForCausalLM = ArchitectureClass<XLMRobertaConfig, Task::causal_lm>;

// XLM-R XL, likewise.
using XLMRobertaXLModel = ArchitectureClass<XLMRobertaXLConfig, Task::features>;
// A class for each text.
using XLMRobertaXLForSequenceClassification =
    ArchitectureClass<XLMRobertaXLConfig, Task::sequence_classification>;
// A class for each token.
using XLMRobertaXLForTokenClassification =
    ArchitectureClass<XLMRobertaXLConfig, Task::token_classification>;
// Where an answer begins and ends.
using XLMRobertaXLForQuestionAnswering =
    ArchitectureClass<XLMRobertaXLConfig, Task::question_answering>;
// The tokens that masks hide.
using XLMRobertaXLForMaskedLM = ArchitectureClass<XLMRobertaXLConfig, Task::masked_lm>;
// The next token.
using XLMRobertaXLForCausalLM = ArchitectureClass<XLMRobertaXLConfig, Task::causal_lm>;

// CamemBERT, French: RoBERTa with SentencePiece's tokens. Its body, and with the head of each task.
using CamembertModel = ArchitectureClass<CamembertConfig, Task::features>;
// A class for each text.
using CamembertForSequenceClassification =
    ArchitectureClass<CamembertConfig, Task::sequence_classification>;
// A class for each token.
using CamembertForTokenClassification =
    ArchitectureClass<CamembertConfig, Task::token_classification>;
// Where an answer begins and ends.
using CamembertForQuestionAnswering = ArchitectureClass<CamembertConfig, Task::question_answering>;
// The tokens that masks hide.
using CamembertForMaskedLM = ArchitectureClass<CamembertConfig, Task::masked_lm>;
// The next token.
using CamembertForCausalLM = ArchitectureClass<CamembertConfig, Task::causal_lm>;

// ALBERT's body; its features are BERT's.
using AlbertModel = ArchitectureClass<AlbertConfig, Task::features>;
// A class for each text: logits [batch, labels].
using AlbertForSequenceClassification =
    ArchitectureClass<AlbertConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using AlbertForTokenClassification = ArchitectureClass<AlbertConfig, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using AlbertForQuestionAnswering = ArchitectureClass<AlbertConfig, Task::question_answering>;
// The tokens that masks hide: logits [batch, tokens, vocab_size].
using AlbertForMaskedLM = ArchitectureClass<AlbertConfig, Task::masked_lm>;

// ELECTRA's body, without a pooler: last_hidden_state [batch, tokens, hidden_size].
using ElectraModel = ArchitectureClass<ElectraConfig, Task::features>;
// A class for each text: logits [batch, labels].
using ElectraForSequenceClassification =
    ArchitectureClass<ElectraConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using ElectraForTokenClassification = ArchitectureClass<ElectraConfig, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using ElectraForQuestionAnswering = ArchitectureClass<ElectraConfig, Task::question_answering>;
// The tokens that masks hide: logits [batch, tokens, vocab_size].
using ElectraForMaskedLM = ArchitectureClass<ElectraConfig, Task::masked_lm>;
// The next token, where is_decoder makes it read from left to right: logits [batch, tokens,
// vocab_size].
using ElectraForCausalLM = ArchitectureClass<ElectraConfig, Task::causal_lm>;
// Which tokens a generator has replaced: logits [batch, tokens].
using ElectraForPreTraining = ArchitectureClass<ElectraConfig, Task::pretraining>;

// ModernBERT: its body, and with the head of each task.
using ModernBertModel = ArchitectureClass<ModernBertConfig, Task::features>;
// A class for each text.
using ModernBertForSequenceClassification =
    ArchitectureClass<ModernBertConfig, Task::sequence_classification>;
// A class for each token.
using ModernBertForTokenClassification =
    ArchitectureClass<ModernBertConfig, Task::token_classification>;
// Where an answer begins and ends.
using ModernBertForQuestionAnswering =
    ArchitectureClass<ModernBertConfig, Task::question_answering>;
// The tokens that masks hide.
using ModernBertForMaskedLM = ArchitectureClass<ModernBertConfig, Task::masked_lm>;

// MPNet: its body, and with the head of each task.
using MPNetModel = ArchitectureClass<MPNetConfig, Task::features>;
// A class for each text.
using MPNetForSequenceClassification =
    ArchitectureClass<MPNetConfig, Task::sequence_classification>;
// A class for each token.
using MPNetForTokenClassification = ArchitectureClass<MPNetConfig, Task::token_classification>;
// Where an answer begins and ends.
using MPNetForQuestionAnswering = ArchitectureClass<MPNetConfig, Task::question_answering>;
// The tokens that masks hide.
using MPNetForMaskedLM = ArchitectureClass<MPNetConfig, Task::masked_lm>;

// DeBERTa version 2 and 3: its body, and with the head of each task.
using DebertaV2Model = ArchitectureClass<DebertaV2Config, Task::features>;
// A class for each text.
using DebertaV2ForSequenceClassification =
    ArchitectureClass<DebertaV2Config, Task::sequence_classification>;
// A class for each token.
using DebertaV2ForTokenClassification =
    ArchitectureClass<DebertaV2Config, Task::token_classification>;
// Where an answer begins and ends.
using DebertaV2ForQuestionAnswering = ArchitectureClass<DebertaV2Config, Task::question_answering>;
// The tokens that masks hide.
using DebertaV2ForMaskedLM = ArchitectureClass<DebertaV2Config, Task::masked_lm>;

// Longformer: its body, and with the head of each task.
using LongformerModel = ArchitectureClass<LongformerConfig, Task::features>;
// A class for each text.
using LongformerForSequenceClassification =
    ArchitectureClass<LongformerConfig, Task::sequence_classification>;
// A class for each token.
using LongformerForTokenClassification =
    ArchitectureClass<LongformerConfig, Task::token_classification>;
// Where an answer begins and ends.
using LongformerForQuestionAnswering =
    ArchitectureClass<LongformerConfig, Task::question_answering>;
// The tokens that masks hide.
using LongformerForMaskedLM = ArchitectureClass<LongformerConfig, Task::masked_lm>;

// BigBird's body, for long texts; its features are BERT's.
using BigBirdModel = ArchitectureClass<BigBirdConfig, Task::features>;
// A class for each text: logits [batch, labels].
using BigBirdForSequenceClassification =
    ArchitectureClass<BigBirdConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using BigBirdForTokenClassification = ArchitectureClass<BigBirdConfig, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using BigBirdForQuestionAnswering = ArchitectureClass<BigBirdConfig, Task::question_answering>;
// The tokens that masks hide: logits [batch, tokens, vocab_size].
using BigBirdForMaskedLM = ArchitectureClass<BigBirdConfig, Task::masked_lm>;
// The next token, where is_decoder makes it read from left to right: logits [batch, tokens,
// vocab_size].
using BigBirdForCausalLM = ArchitectureClass<BigBirdConfig, Task::causal_lm>;

// XLNet's body: last_hidden_state [batch, tokens, d_model]. Texts are padded in front.
using XLNetModel = ArchitectureClass<XLNetConfig, Task::features>;
// A class for each text: logits [batch, labels].
using XLNetForSequenceClassification =
    ArchitectureClass<XLNetConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using XLNetForTokenClassification = ArchitectureClass<XLNetConfig, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using XLNetForQuestionAnsweringSimple = ArchitectureClass<XLNetConfig, Task::question_answering>;
// The token at each place: logits [batch, tokens, vocab_size], or those of target_mapping's places
// alone (xlnet/xlnet_config.h).
using XLNetLMHeadModel = ArchitectureClass<XLNetConfig, Task::causal_lm>;

// GPT-2's body: last_hidden_state [batch, tokens, n_embd]. Each token sees itself and those before
// it.
using GPT2Model = ArchitectureClass<GPT2Config, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using GPT2LMHeadModel = ArchitectureClass<GPT2Config, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using GPT2ForSequenceClassification = ArchitectureClass<GPT2Config, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using GPT2ForTokenClassification = ArchitectureClass<GPT2Config, Task::token_classification>;
// Where an answer begins and ends: start_logits and end_logits [batch, tokens].
using GPT2ForQuestionAnswering = ArchitectureClass<GPT2Config, Task::question_answering>;

// Llama's body (Llama 1 to 3): last_hidden_state [batch, tokens, hidden_size].
using LlamaModel = ArchitectureClass<LlamaConfig, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using LlamaForCausalLM = ArchitectureClass<LlamaConfig, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using LlamaForSequenceClassification =
    ArchitectureClass<LlamaConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using LlamaForTokenClassification = ArchitectureClass<LlamaConfig, Task::token_classification>;

// SmolLM3's body: last_hidden_state, as Llama's.
using SmolLM3Model = ArchitectureClass<SmolLM3Config, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using SmolLM3ForCausalLM = ArchitectureClass<SmolLM3Config, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using SmolLM3ForSequenceClassification =
    ArchitectureClass<SmolLM3Config, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using SmolLM3ForTokenClassification = ArchitectureClass<SmolLM3Config, Task::token_classification>;

// Mistral's body: last_hidden_state, as Llama's.
using MistralModel = ArchitectureClass<MistralConfig, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using MistralForCausalLM = ArchitectureClass<MistralConfig, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using MistralForSequenceClassification =
    ArchitectureClass<MistralConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using MistralForTokenClassification = ArchitectureClass<MistralConfig, Task::token_classification>;

// Qwen2's body: last_hidden_state, as Llama's.
using Qwen2Model = ArchitectureClass<Qwen2Config, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using Qwen2ForCausalLM = ArchitectureClass<Qwen2Config, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using Qwen2ForSequenceClassification =
    ArchitectureClass<Qwen2Config, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using Qwen2ForTokenClassification = ArchitectureClass<Qwen2Config, Task::token_classification>;

// Qwen3's body: last_hidden_state, as Llama's.
using Qwen3Model = ArchitectureClass<Qwen3Config, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using Qwen3ForCausalLM = ArchitectureClass<Qwen3Config, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using Qwen3ForSequenceClassification =
    ArchitectureClass<Qwen3Config, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using Qwen3ForTokenClassification = ArchitectureClass<Qwen3Config, Task::token_classification>;

// Gemma's body: last_hidden_state, as Llama's.
using GemmaModel = ArchitectureClass<GemmaConfig, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using GemmaForCausalLM = ArchitectureClass<GemmaConfig, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using GemmaForSequenceClassification =
    ArchitectureClass<GemmaConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using GemmaForTokenClassification = ArchitectureClass<GemmaConfig, Task::token_classification>;

// Gemma 2's body: last_hidden_state, as Llama's.
using Gemma2Model = ArchitectureClass<Gemma2Config, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using Gemma2ForCausalLM = ArchitectureClass<Gemma2Config, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using Gemma2ForSequenceClassification =
    ArchitectureClass<Gemma2Config, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using Gemma2ForTokenClassification = ArchitectureClass<Gemma2Config, Task::token_classification>;

// The body of Gemma 3 for texts: last_hidden_state, as Llama's.
using Gemma3TextModel = ArchitectureClass<Gemma3TextConfig, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using Gemma3ForCausalLM = ArchitectureClass<Gemma3TextConfig, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using Gemma3TextForSequenceClassification =
    ArchitectureClass<Gemma3TextConfig, Task::sequence_classification>;

// The body of Phi-1, Phi-1.5 and Phi-2: last_hidden_state, as Llama's.
using PhiModel = ArchitectureClass<PhiConfig, Task::features>;
// The next token: logits [batch, tokens, vocab_size]; it generates texts.
using PhiForCausalLM = ArchitectureClass<PhiConfig, Task::causal_lm>;
// A class for each text: logits [batch, labels].
using PhiForSequenceClassification = ArchitectureClass<PhiConfig, Task::sequence_classification>;
// A class for each token: logits [batch, tokens, labels].
using PhiForTokenClassification = ArchitectureClass<PhiConfig, Task::token_classification>;

// T5, T5 1.1 and Flan-T5: encoder and decoder without a head.
using T5Model = ArchitectureClass<T5Config, Task::features>;
// The next token of what is written.
using T5ForConditionalGeneration = ArchitectureClass<T5Config, Task::seq2seq_lm>;

// mT5, of many languages, likewise.
using MT5Model = ArchitectureClass<MT5Config, Task::features>;
// The next token of what is written.
using MT5ForConditionalGeneration = ArchitectureClass<MT5Config, Task::seq2seq_lm>;

// BART: encoder and decoder without a head.
using BartModel = ArchitectureClass<BartConfig, Task::features>;
// The next token of what is written.
using BartForConditionalGeneration = ArchitectureClass<BartConfig, Task::seq2seq_lm>;

// Marian's translators, likewise.
using MarianModel = ArchitectureClass<MarianConfig, Task::features>;
// The next token of the translation.
using MarianMTModel = ArchitectureClass<MarianConfig, Task::seq2seq_lm>;

// ViT's body: last_hidden_state [batch, tokens, hidden_size] and pooler_output [batch,
// pooler_output_size].
using ViTModel = ArchitectureClass<ViTConfig, Task::features>;
// A class for each picture: logits [batch, labels].
using ViTForImageClassification = ArchitectureClass<ViTConfig, Task::image_classification>;

// DINOv2: a picture's features, from training without labels; and with a head of classes.
using Dinov2Model = ArchitectureClass<Dinov2Config, Task::features>;
// A class for each picture.
using Dinov2ForImageClassification = ArchitectureClass<Dinov2Config, Task::image_classification>;

// ResNet and ConvNeXt, convolutional networks: their features, and with a head of classes.
using ResNetModel = ArchitectureClass<ResNetConfig, Task::features>;
// A class for each picture.
using ResNetForImageClassification = ArchitectureClass<ResNetConfig, Task::image_classification>;

// ConvNeXt's features.
using ConvNextModel = ArchitectureClass<ConvNextConfig, Task::features>;
// A class for each picture.
using ConvNextForImageClassification =
    ArchitectureClass<ConvNextConfig, Task::image_classification>;

// Swin: its features, and with a head of classes.
using SwinModel = ArchitectureClass<SwinConfig, Task::features>;
// A class for each picture.
using SwinForImageClassification = ArchitectureClass<SwinConfig, Task::image_classification>;

// CLIP: texts and pictures compared; one half alone, without and with the projection to what is
// compared; a class of each picture.
using CLIPModel = ArchitectureClass<CLIPConfig, Task::features>;
// The texts alone.
using CLIPTextModel = ArchitectureClass<CLIPTextConfig, Task::features>;
// Texts, projected to what they are compared by.
using CLIPTextModelWithProjection = ArchitectureClass<CLIPTextConfig, Task::projection>;
// The pictures alone.
using CLIPVisionModel = ArchitectureClass<CLIPVisionConfig, Task::features>;
// Pictures, projected to what they are compared by.
using CLIPVisionModelWithProjection = ArchitectureClass<CLIPVisionConfig, Task::projection>;
// A class for each picture.
using CLIPForImageClassification = ArchitectureClass<CLIPConfig, Task::image_classification>;

// SigLIP, likewise.
using SiglipModel = ArchitectureClass<SiglipConfig, Task::features>;
// The texts alone.
using SiglipTextModel = ArchitectureClass<SiglipTextConfig, Task::features>;
// The pictures alone.
using SiglipVisionModel = ArchitectureClass<SiglipVisionConfig, Task::features>;
// A class for each picture.
using SiglipForImageClassification = ArchitectureClass<SiglipConfig, Task::image_classification>;

// DeiT's body, ViT's with a second token for what a teacher sees; the same features.
using DeiTModel = ArchitectureClass<DeiTConfig, Task::features>;
// A class for each picture, from the class token alone: logits [batch, labels].
using DeiTForImageClassification = ArchitectureClass<DeiTConfig, Task::image_classification>;
// Two heads, the second of which learns from a teacher: cls_logits and distillation_logits, and
// logits, their mean; [batch, labels] each.
using DeiTForImageClassificationWithTeacher =
    ArchitectureClass<DeiTConfig, Task::image_classification_with_teacher>;

// BEiT: its body, and with a class for each picture.
using BeitModel = ArchitectureClass<BeitConfig, Task::features>;
// A class for each picture.
using BeitForImageClassification = ArchitectureClass<BeitConfig, Task::image_classification>;

// Whisper, which writes what is said in a sound.
using WhisperModel = ArchitectureClass<WhisperConfig, Task::features>;
// With the scores of the tokens that it writes.
using WhisperForConditionalGeneration = ArchitectureClass<WhisperConfig, Task::seq2seq_lm>;
// By config.json: what Hugging Face calls it for sounds.
using AutoModelForSpeechSeq2Seq = AutoClass<Task::seq2seq_lm>;

}  // namespace systolic::inline v0
