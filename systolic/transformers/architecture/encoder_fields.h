// The fields of a config.json that BERT and its relatives name alike. Internal to transformers.
//
// `Config` is an architecture's struct; each lists its fields itself, with its own defaults, and
// inherits none: designated initializers, BertConfig{.hidden_size = 384}, cannot name a base's.
#pragma once

#include <optional>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/encoder_body.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

// What all encoders whose layers are alike name alike, of texts and of pictures: the sizes of a
// layer, how many there are, and what of them is dropped.
template <class Config>
void encoder_fields(ConfigFields& fields, Config& config) {
  fields.integer("hidden_size", config.hidden_size, 1, limits::width);
  fields.integer("num_hidden_layers", config.num_hidden_layers, 0, limits::layers);
  fields.integer("num_attention_heads", config.num_attention_heads, 1, limits::width);
  if constexpr (requires { config.intermediate_size; })
    fields.integer("intermediate_size", config.intermediate_size, 1, limits::width);
  fields.choice("hidden_act", config.hidden_act, hidden_activations());
  fields.number("hidden_dropout_prob", config.hidden_dropout_prob, 0, 1);
  fields.number("attention_probs_dropout_prob", config.attention_probs_dropout_prob, 0, 1);
  fields.number("initializer_range", config.initializer_range, 0, 1);
  fields.number("layer_norm_eps", config.layer_norm_eps, 0, 1);
  fields.check_heads("hidden_size", config.hidden_size, "num_attention_heads",
                     config.num_attention_heads);
}

template <class Config>
void transfer_encoder_fields(ConfigFields& fields, Config& config) {
  fields.integer("vocab_size", config.vocab_size, 1, limits::vocabulary);
  encoder_fields(fields, config);
  fields.integer("max_position_embeddings", config.max_position_embeddings, 1, limits::positions);
  fields.integer("type_vocab_size", config.type_vocab_size, 1, limits::vocabulary);
  fields.only("position_embedding_type", "absolute");
  if constexpr (requires { config.is_decoder; }) {
    std::optional<bool> is_decoder = config.is_decoder;
    fields.boolean("is_decoder", is_decoder);
    config.is_decoder = is_decoder.value_or(false);
  } else {
    fields.only("is_decoder", false);
  }
  fields.only("add_cross_attention", false);
}

template <class Config>
EncoderSizes encoder_sizes(const Config& config) {
  EncoderSizes sizes{.hidden_size = config.hidden_size,
                     .heads = config.num_attention_heads,
                     .intermediate_size = config.intermediate_size,
                     .activation = config.hidden_act,
                     .layer_norm_epsilon = config.layer_norm_eps,
                     .initializer_range = config.initializer_range,
                     .probability_dropout = config.attention_probs_dropout_prob,
                     .attention_dropout = config.hidden_dropout_prob,
                     .output_dropout = config.hidden_dropout_prob};
  if constexpr (requires { config.is_decoder; }) sizes.causal = config.is_decoder;
  return sizes;
}

// For one that may be a decoder.
inline std::vector<Task> encoder_tasks() {
  return {Task::features,
          Task::sequence_classification,
          Task::token_classification,
          Task::question_answering,
          Task::masked_lm,
          Task::causal_lm};
}

// What generate() needs, with the names of the head's layers; empty for a model that sees later
// tokens.
template <class Config>
std::optional<GenerationSpec> encoder_decoder(const Config& config, const LanguageModelNames& names,
                                              int64_t eos_token_id = -1) {
  if (!config.is_decoder) return {};
  return GenerationSpec{.layers = config.num_hidden_layers,
                        .width = config.hidden_size,
                        .vocabulary = config.vocab_size,
                        .eos_token_id = eos_token_id,
                        .head = names.layers()};
}

// BERT's head of a language model, masked or causal; its relatives' differ in what follows.
template <class Config>
LanguageModelHead encoder_lm_head(const Config& config, const BuildArguments& arguments,
                                  const Layer& words) {
  return {.words = words,
          .tokens = config.vocab_size,
          .tied = arguments.ties_word_embeddings,
          .initializer_range = config.initializer_range,
          .size = config.hidden_size,
          .activation = config.hidden_act,
          .epsilon = config.layer_norm_eps};
}

}  // namespace systolic::inline v0
