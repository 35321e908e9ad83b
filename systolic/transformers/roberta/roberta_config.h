// RoBERTa (Liu et al. 2019, arXiv 1907.11692), XLM-RoBERTa (Conneau et al. 2019, arXiv 1911.02116)
// and CamemBERT (Martin et al. 2019, arXiv 1911.03894): the fields and defaults of transformers'
// RobertaConfig, XLMRobertaConfig and CamembertConfig.
//
// BERT's encoder, where positions are counted from pad_token_id + 1 over the tokens that do not
// pad. Inputs and features are BERT's. generate() counts all tokens that its mask shows, including
// one that pads where it stands within a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

// Defaults that most of them share.
struct RobertaDefaults {
  static constexpr int64_t hidden_size = 768, num_hidden_layers = 12, num_attention_heads = 12,
                           intermediate_size = 3072, max_position_embeddings = 512,
                           type_vocab_size = 2;
  static constexpr double layer_norm_eps = 1e-12;
  static constexpr bool normalizes_first = false;
};

// RoBERTa's names and defaults: a vocabulary of 50265 tokens.
struct RobertaKind : RobertaDefaults {
  static constexpr const char* model_type = "roberta";
  static constexpr const char* class_prefix = "Roberta";
  static constexpr int64_t vocab_size = 50265;
};
// XLM-RoBERTa's names and defaults, which are transformers'; the published checkpoints name a
// larger vocabulary in their config.json.
struct XLMRobertaKind : RobertaDefaults {
  static constexpr const char* model_type = "xlm-roberta";
  static constexpr const char* class_prefix = "XLMRoberta";
  static constexpr int64_t vocab_size = 30522;
};

// XLM-R XL (Goyal et al. 2021, arXiv 2105.00572), whose layers normalize before attention and
// before the dense network.
struct XLMRobertaXLKind {
  static constexpr const char* model_type = "xlm-roberta-xl";
  static constexpr const char* class_prefix = "XLMRobertaXL";
  static constexpr int64_t vocab_size = 250880;
  static constexpr int64_t hidden_size = 2560, num_hidden_layers = 36, num_attention_heads = 32,
                           intermediate_size = 10240, max_position_embeddings = 514,
                           type_vocab_size = 1;
  static constexpr double layer_norm_eps = 1e-5;
  static constexpr bool normalizes_first = true;
};

// What config.json names: "camembert".
struct CamembertKind : RobertaDefaults {
  static constexpr const char* model_type = "camembert";
  static constexpr const char* class_prefix = "Camembert";
  static constexpr int64_t vocab_size = 30522;
};

template <class Kind>
struct RobertaConfigOf {
  static constexpr const char* model_type = Kind::model_type;
  static constexpr const char* class_prefix = Kind::class_prefix;
  static constexpr const char* body_name = "roberta";

  int64_t vocab_size = Kind::vocab_size;
  int64_t hidden_size = Kind::hidden_size;
  int64_t num_hidden_layers = Kind::num_hidden_layers;
  int64_t num_attention_heads = Kind::num_attention_heads;
  int64_t intermediate_size = Kind::intermediate_size;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  int64_t max_position_embeddings = Kind::max_position_embeddings;
  int64_t type_vocab_size = Kind::type_vocab_size;
  double initializer_range = 0.02;
  double layer_norm_eps = Kind::layer_norm_eps;
  bool is_decoder = false;  // each token sees itself and those before it only
  int64_t pad_token_id = 1;
  std::optional<double> classifier_dropout = {};  // hidden_dropout_prob

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  // The first positions are those of tokens that pad.
  int64_t max_tokens() const { return max_position_embeddings - pad_token_id - 1; }
  std::optional<GenerationSpec> decoder() const;
  int64_t words_size() const { return hidden_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

using RobertaConfig = RobertaConfigOf<RobertaKind>;
using XLMRobertaConfig = RobertaConfigOf<XLMRobertaKind>;
// XLM-R XL's sizes.
using XLMRobertaXLConfig = RobertaConfigOf<XLMRobertaXLKind>;
using CamembertConfig = RobertaConfigOf<CamembertKind>;

}  // namespace systolic::inline v0
