// ELECTRA (Clark et al. 2020, arXiv 2003.10555): the fields and defaults of transformers'
// ElectraConfig.
//
// BERT's encoder without a pooler, with vectors of embedding_size for tokens. Its own head,
// ElectraForPreTraining, tells which tokens were replaced: logits [batch, tokens]. Inputs are
// BERT's; features: last_hidden_state [batch, tokens, hidden_size].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct ElectraConfig {
  static constexpr const char* model_type = "electra";
  static constexpr const char* class_prefix = "Electra";
  static constexpr const char* body_name = "electra";

  int64_t vocab_size = 30522;
  int64_t embedding_size = 128;
  int64_t hidden_size = 256;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 4;
  int64_t intermediate_size = 1024;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  int64_t max_position_embeddings = 512;
  int64_t type_vocab_size = 2;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  bool is_decoder = false;  // each token sees itself and those before it only
  std::optional<int64_t> pad_token_id = 0;
  std::optional<double> classifier_dropout = {};  // hidden_dropout_prob

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::optional<GenerationSpec> decoder() const;
  int64_t words_size() const { return embedding_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
