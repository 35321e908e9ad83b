// DistilBERT (Sanh et al. 2019, arXiv 1910.01108): the fields and defaults of transformers'
// DistilBertConfig.
//
// Inputs: input_ids, attention_mask (1 where it is left out), [batch, tokens]. Features:
// last_hidden_state [batch, tokens, dim].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct DistilBertConfig {
  static constexpr const char* model_type = "distilbert";
  static constexpr const char* class_prefix = "DistilBert";
  static constexpr const char* body_name = "distilbert";

  int64_t vocab_size = 30522;
  int64_t max_position_embeddings = 512;
  bool sinusoidal_pos_embds = false;  // how positions start; a checkpoint has them
  int64_t n_layers = 6;
  int64_t n_heads = 12;
  int64_t dim = 768;
  int64_t hidden_dim = 4 * 768;
  double dropout = 0.1;
  double attention_dropout = 0.1;
  std::string activation = "gelu";
  double initializer_range = 0.02;
  double qa_dropout = 0.1;
  double seq_classif_dropout = 0.2;
  std::optional<int64_t> pad_token_id = 0;

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  int64_t words_size() const { return dim; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
