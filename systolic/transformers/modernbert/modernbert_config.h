// ModernBERT (Warner et al. 2024, arXiv 2412.13663): the fields and defaults of transformers'
// ModernBertConfig.
//
// Inputs: input_ids and attention_mask (1 where it is left out), [batch, tokens]. Features:
// last_hidden_state [batch, tokens, hidden_size].
//
//   auto model = ModernBertForMaskedLM::from_pretrained("ModernBERT-base/");
//
// Older files have global_attn_every_n_layers, global_rope_theta and local_rope_theta in place of
// layer_types and rope_parameters; they are read, and written as the present ones.
// sparse_prediction changes what is stored of a masked language model's scores, not what they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/config/rope_parameters.h"

namespace systolic::inline v0 {

struct ModernBertConfig {
  static constexpr const char* model_type = "modernbert";
  static constexpr const char* class_prefix = "ModernBert";
  static constexpr const char* body_name = "model";

  int64_t vocab_size = 50368;
  int64_t hidden_size = 768;
  int64_t intermediate_size = 1152;
  int64_t num_hidden_layers = 22;
  int64_t num_attention_heads = 12;
  std::string hidden_activation = "gelu";
  int64_t max_position_embeddings = 8192;
  double initializer_range = 0.02;
  double norm_eps = 1e-5;
  bool norm_bias = false;
  std::optional<int64_t> pad_token_id = 50283;
  bool attention_bias = false;
  double attention_dropout = 0;
  // "full_attention" or "sliding_attention" for each layer; tokens of the latter see
  // local_attention / 2 others each way. Empty: the first of three is a full one.
  std::vector<std::string> layer_types = {};
  RopeParameters rope_parameters = {.rope_theta = 160000};       // of full attention
  RopeParameters local_rope_parameters = {.rope_theta = 10000};  // of sliding attention
  int64_t local_attention = 128;
  double embedding_dropout = 0;
  bool mlp_bias = false;
  double mlp_dropout = 0;
  bool decoder_bias = true;
  std::string classifier_pooling = "cls";  // or "mean"
  double classifier_dropout = 0;
  bool classifier_bias = false;
  std::string classifier_activation = "gelu";

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  int64_t words_size() const { return hidden_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
