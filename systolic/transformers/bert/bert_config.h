// BERT (Devlin et al. 2018, arXiv 1810.04805) and models that share its architecture, such as
// MiniLM: the fields and defaults of transformers' BertConfig.
//
// Inputs: input_ids, attention_mask (1 where it is left out), token_type_ids (0), [batch, tokens].
// Features: last_hidden_state [batch, tokens, hidden_size], pooler_output [batch, hidden_size].
//
// With is_decoder it reads from left to right, as BertLMHeadModel, its causal language model,
// requires: that model generates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct BertConfig {
  static constexpr const char* model_type = "bert";
  static constexpr const char* class_prefix = "Bert";
  static constexpr const char* body_name = "bert";

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
  bool is_decoder = false;  // each token sees itself and those before it only
  std::optional<int64_t> pad_token_id = 0;
  std::optional<double> classifier_dropout = {};  // hidden_dropout_prob

  static std::vector<Task> tasks();
  static std::string class_name(Task task);
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::optional<GenerationSpec> decoder() const;
  int64_t words_size() const { return hidden_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
