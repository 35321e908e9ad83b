// What BART, Marian and Whisper name and build alike. Internal to transformers.
//
// `Config` is an architecture's struct; each lists its fields itself, with its own defaults.
#pragma once

#include <string>

#include "systolic/base/text.h"
#include "systolic/transformers/bart/bart_stack.h"
#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

template <class Config>
void transfer_bart_fields(ConfigFields& fields, Config& config) {
  fields.integer("d_model", config.d_model, 1, limits::width);
  fields.integer("encoder_layers", config.encoder_layers, 0, limits::layers);
  fields.integer("encoder_ffn_dim", config.encoder_ffn_dim, 1, limits::width);
  fields.integer("encoder_attention_heads", config.encoder_attention_heads, 1, limits::width);
  fields.integer("decoder_layers", config.decoder_layers, 0, limits::layers);
  fields.integer("decoder_ffn_dim", config.decoder_ffn_dim, 1, limits::width);
  fields.integer("decoder_attention_heads", config.decoder_attention_heads, 1, limits::width);
  fields.choice("activation_function", config.activation_function, hidden_activations());
  fields.number("dropout", config.dropout, 0, 1);
  fields.number("attention_dropout", config.attention_dropout, 0, 1);
  fields.number("activation_dropout", config.activation_dropout, 0, 1);
  fields.number("init_std", config.init_std, 0, 1);
  fields.integer("pad_token_id", config.pad_token_id, -1, limits::vocabulary);
  fields.integer("decoder_start_token_id", config.decoder_start_token_id, 0, limits::vocabulary);
  int64_t tokens = config.vocab_size;
  if constexpr (requires { config.written_tokens(); }) tokens = config.written_tokens();
  if (fields.reads() && config.decoder_start_token_id >= tokens)
    fields.fail("decoder_start_token_id", str(config.decoder_start_token_id),
                str("a token, below vocab_size, ", tokens));
  fields.only("is_encoder_decoder", true);
  fields.check_heads("d_model", config.d_model, "encoder_attention_heads",
                     config.encoder_attention_heads);
  fields.check_heads("d_model", config.d_model, "decoder_attention_heads",
                     config.decoder_attention_heads);
}

// What the layers of one half have.
template <class Config>
BartSizes bart_sizes(const Config& config, bool decodes) {
  return {.hidden_size = config.d_model,
          .heads = decodes ? config.decoder_attention_heads : config.encoder_attention_heads,
          .inner_size = decodes ? config.decoder_ffn_dim : config.encoder_ffn_dim,
          .activation = config.activation_function,
          .dropout = config.dropout,
          .attention_dropout = config.attention_dropout,
          .activation_dropout = config.activation_dropout,
          .initializer_range = config.init_std};
}

// The table of so many tokens' vectors.
template <class Config>
Layer bart_words(const Config& config, int64_t tokens, std::string name) {
  TiedEmbedding table{.tokens = tokens,
                      .size = config.d_model,
                      .initializer_range = config.init_std,
                      .name = std::move(name)};
  if (config.pad_token_id && *config.pad_token_id < tokens) table.padding = config.pad_token_id;
  return table;
}

}  // namespace systolic::inline v0
