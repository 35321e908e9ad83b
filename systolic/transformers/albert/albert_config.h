// ALBERT (Lan et al. 2019, arXiv 1909.11942): the fields and defaults of transformers'
// AlbertConfig.
//
// BERT's encoder with vectors of embedding_size for tokens, and layers that share their weights
// within each of num_hidden_groups groups. Inputs and features are BERT's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct AlbertConfig {
  static constexpr const char* model_type = "albert";
  static constexpr const char* class_prefix = "Albert";
  static constexpr const char* body_name = "albert";

  int64_t vocab_size = 30000;
  int64_t embedding_size = 128;
  int64_t hidden_size = 4096;
  int64_t num_hidden_layers = 12;
  int64_t num_hidden_groups = 1;
  int64_t num_attention_heads = 64;
  int64_t intermediate_size = 16384;
  int64_t inner_group_num = 1;  // layers of one group
  std::string hidden_act = "gelu_new";
  double hidden_dropout_prob = 0;
  double attention_probs_dropout_prob = 0;
  int64_t max_position_embeddings = 512;
  int64_t type_vocab_size = 2;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  double classifier_dropout_prob = 0.1;
  std::optional<int64_t> pad_token_id = 0;

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  int64_t words_size() const { return embedding_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
