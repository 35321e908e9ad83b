// Longformer (Beltagy et al. 2020, arXiv 2004.05150): the fields and defaults of transformers'
// LongformerConfig.
//
// RoBERTa's encoder, whose tokens see those that are near, attention_window / 2 to each side;
// global tokens see all and are seen by all, by projections of their own. Inputs are RoBERTa's and
// global_attention_mask [batch, tokens], 1 for global tokens, by default as in transformers: of a
// classifier of sequences the first token, of question answering those before the first separator,
// of others none. Scores of all pairs of tokens are computed, so that memory grows with the square
// of the length as RoBERTa's does. output_attentions is Unimplemented.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct LongformerConfig {
  static constexpr const char* model_type = "longformer";
  static constexpr const char* class_prefix = "Longformer";
  static constexpr const char* body_name = "longformer";
  static constexpr bool masks_pairs = false;

  int64_t vocab_size = 30522;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  int64_t max_position_embeddings = 512;
  int64_t type_vocab_size = 2;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  int64_t pad_token_id = 1;
  int64_t sep_token_id = 2;
  std::vector<int64_t> attention_window = {512};  // even numbers: of each layer, or one of all

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  // The first positions are those of tokens that pad.
  int64_t max_tokens() const { return max_position_embeddings - pad_token_id - 1; }
  int64_t words_size() const { return hidden_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
