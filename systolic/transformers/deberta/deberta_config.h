// DeBERTa version 2 and 3 (He et al. 2020 and 2021, arXiv 2006.03654 and 2111.09543): the fields
// and defaults of transformers' DebertaV2Config, and those of its files besides.
//
// Inputs: input_ids, attention_mask (1 where it is left out) and, where type_vocab_size is not 0,
// token_type_ids (0), [batch, tokens]. Features: last_hidden_state [batch, tokens, hidden_size].
//
//   auto model = DebertaV2ForSequenceClassification::from_pretrained("deberta-v3-base/");
//
// predict() takes texts of any length where position_biased_input is false; distances beyond
// max_relative_positions are one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct DebertaV2Config {
  static constexpr const char* model_type = "deberta-v2";
  static constexpr const char* class_prefix = "DebertaV2";
  static constexpr const char* body_name = "deberta";
  static constexpr bool masks_pairs = false;

  int64_t vocab_size = 128100;
  int64_t hidden_size = 1536;
  int64_t num_hidden_layers = 24;
  int64_t num_attention_heads = 24;
  int64_t intermediate_size = 6144;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  int64_t max_position_embeddings = 512;
  int64_t type_vocab_size = 0;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-7;
  bool relative_attention = false;      // distances count, as pos_att_type says
  int64_t max_relative_positions = -1;  // below 1: max_position_embeddings
  int64_t position_buckets = -1;  // vectors of distances each way; below 1: one for each distance
  std::vector<std::string> pos_att_type = {};  // of "c2p" and "p2c"
  bool share_att_key = false;         // distances are projected by the layers of the contents
  std::string norm_rel_ebd = "none";  // or "layer_norm": of the vectors of distances
  bool position_biased_input = true;  // vectors of positions are added to those of tokens
  int64_t conv_kernel_size = 0;       // of a convolution around the first layer; 0: there is none
  int64_t conv_groups = 1;
  std::string conv_act = "tanh";
  std::optional<int64_t> embedding_size = {};  // of tokens' vectors; hidden_size
  std::optional<int64_t> pad_token_id = 0;
  double pooler_dropout = 0;
  std::string pooler_hidden_act = "gelu";
  std::optional<double> cls_dropout = {};  // of a text's classifier; hidden_dropout_prob
  // The masked language model's head has the names of BERT's; else "lm_predictions.lm_head".
  bool legacy = true;

  static std::vector<Task> tasks();
  WeightNames weight_names() const;
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
  int64_t words_size() const { return embedding_size.value_or(hidden_size); }
};

}  // namespace systolic::inline v0
