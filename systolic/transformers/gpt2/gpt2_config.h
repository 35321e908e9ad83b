// GPT-2 (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"): the fields
// and defaults of transformers' GPT2Config.
//
// Inputs: input_ids, attention_mask (1 where it is left out), [batch, tokens]; pad after the text.
// Features: last_hidden_state [batch, tokens, n_embd]. Each token sees itself and those before it.
//
// The head of causal language models is the table of the tokens' vectors by default: logits [batch,
// tokens, vocab_size] for the token that comes next; labels are the input_ids themselves, -100
// where none counts. That of sequences stands on the last token that is not pad_token_id, and
// without a pad_token_id (where `transformers` takes one text at a time) on the last that
// attention_mask shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct GPT2Config {
  static constexpr const char* model_type = "gpt2";
  static constexpr const char* class_prefix = "GPT2";
  static constexpr const char* body_name = "transformer";

  int64_t vocab_size = 50257;
  int64_t n_positions = 1024;
  int64_t n_embd = 768;
  int64_t n_layer = 12;
  int64_t n_head = 12;
  std::optional<int64_t> n_inner = {};  // 4 * n_embd
  std::string activation_function = "gelu_new";
  double resid_pdrop = 0.1;
  double embd_pdrop = 0.1;
  double attn_pdrop = 0.1;
  double layer_norm_epsilon = 1e-5;
  double initializer_range = 0.02;
  bool scale_attn_weights = true;
  bool scale_attn_by_inverse_layer_idx = false;
  std::optional<int64_t> pad_token_id = {};
  // Before and after a text; generate() ends after the latter. Default: 50256, OpenAI's.
  std::optional<int64_t> bos_token_id = {}, eos_token_id = {};
  std::optional<double> classifier_dropout = {};  // of token classification; 0.1

  static std::string class_name(Task task);
  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  int64_t max_tokens() const { return n_positions; }
  GenerationSpec decoder() const;
  int64_t words_size() const { return n_embd; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
