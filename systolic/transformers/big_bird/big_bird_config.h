// BigBird (Zaheer et al. 2020, arXiv 2007.14062): the fields and defaults of transformers'
// BigBirdConfig.
//
// BERT's encoder, whose attention is full up to (5 + 2 num_random_blocks) block_size tokens (704 by
// default) and goes from blocks to a few blocks above
// (transformers/layers/block_sparse_attention.h), with the random blocks of transformers 5.23:
// drawn from each layer's number in training, otherwise block 0 again. attention_type =
// "original_full" attends fully at any length, and so does a decoder: blocks know no order, and in
// transformers let a causal language model see what comes. Inputs and features are BERT's.
//
// Question answering: ids are [CLS] question [SEP] context [SEP]; the question's tokens are ruled
// out. Token types default to 0, where transformers makes them 1 for the context.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct BigBirdConfig {
  static constexpr const char* model_type = "big_bird";
  static constexpr const char* class_prefix = "BigBird";
  static constexpr const char* body_name = "bert";

  int64_t vocab_size = 50358;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu_new";
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  int64_t max_position_embeddings = 4096;
  int64_t type_vocab_size = 2;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  bool is_decoder = false;  // each token sees itself and those before it only
  std::optional<int64_t> pad_token_id = 0;
  int64_t sep_token_id = 66;
  std::string attention_type = "block_sparse";
  bool use_bias = true;
  bool rescale_embeddings = false;
  int64_t block_size = 64;
  int64_t num_random_blocks = 3;
  std::optional<double> classifier_dropout = {};  // hidden_dropout_prob

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs(Task task) const;
  std::optional<GenerationSpec> decoder() const;
  int64_t words_size() const { return hidden_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
