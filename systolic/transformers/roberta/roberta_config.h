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

struct RobertaKind {
  static constexpr const char* model_type = "roberta";
  static constexpr const char* class_prefix = "Roberta";
  static constexpr int64_t vocab_size = 50265;
};
struct XLMRobertaKind {
  static constexpr const char* model_type = "xlm-roberta";
  static constexpr const char* class_prefix = "XLMRoberta";
  static constexpr int64_t vocab_size = 30522;
};

// What config.json names: "camembert".
struct CamembertKind {
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
  int64_t pad_token_id = 1;
  std::optional<double> classifier_dropout = {};  // hidden_dropout_prob

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  // The first positions are those of tokens that pad.
  int64_t max_tokens() const { return max_position_embeddings - pad_token_id - 1; }
  std::optional<GenerationSpec> decoder() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

using RobertaConfig = RobertaConfigOf<RobertaKind>;
using XLMRobertaConfig = RobertaConfigOf<XLMRobertaKind>;
using CamembertConfig = RobertaConfigOf<CamembertKind>;

}  // namespace systolic::inline v0
