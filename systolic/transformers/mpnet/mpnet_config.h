// MPNet (Song et al. 2020, arXiv 2004.09297): the fields and defaults of transformers' MPNetConfig.
//
// Inputs: input_ids and attention_mask (1 where it is left out), [batch, tokens]. Features:
// last_hidden_state [batch, tokens, hidden_size], pooler_output [batch, hidden_size].
//
//   auto mpnet = MPNetModel::from_pretrained("all-mpnet-base-v2/");
//
// relative_attention_num_buckets is 32: `transformers` computes with that number, whatever a file
// says, and another one is an Unimplemented.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct MPNetConfig {
  static constexpr const char* model_type = "mpnet";
  static constexpr const char* class_prefix = "MPNet";
  static constexpr const char* body_name = "mpnet";

  int64_t vocab_size = 30527;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  int64_t max_position_embeddings = 512;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  int64_t pad_token_id = 1;

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  // The first positions are those of tokens that pad.
  int64_t max_tokens() const { return max_position_embeddings - 2; }
  int64_t words_size() const { return hidden_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
