// T5 (Raffel et al. 2020, arXiv 1910.10683), T5 1.1 and Flan-T5, which are the same with gated
// layers, and mT5: the fields and defaults of transformers' T5Config and MT5Config.
//
// An encoder reads a text, its source, and a decoder writes another one. Positions count by their
// distance alone, so texts may have any length.
// Inputs: input_ids, attention_mask (1 where it is left out), [batch, source tokens], and
// decoder_input_ids [batch, tokens], what is written so far: it may be left out where there are
// labels, which are it one place to the right (config/shift_tokens.h). On request
// (PretrainedOptions::optional_inputs) decoder_attention_mask [batch, tokens].
// Features: last_hidden_state [batch, tokens, d_model] and encoder_last_hidden_state [batch, source
// tokens, d_model]. Conditional generation: logits [batch, tokens, vocab_size] of the token in each
// place; labels [batch, tokens], -100 where none counts.
//
//   auto model = T5ForConditionalGeneration::from_pretrained("flan_t5/");
//   Literal ids = model.generate(tokenizer(texts, {.padding = true}), {.num_beams = 4});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

// What differs between T5 and mT5: names and defaults.
struct T5Kind {
  const char *model_type, *class_prefix;
  int64_t vocab_size, d_ff, num_layers, num_heads;
  const char* feed_forward_proj;
  bool scales_outputs;
};
// As transformers has them.
inline constexpr T5Kind t5_kind{"t5", "T5", 32128, 2048, 6, 8, "relu", true};
// mT5, of many languages: a larger vocabulary, gated layers, and outputs that are not scaled.
inline constexpr T5Kind mt5_kind{"mt5", "MT5", 250112, 1024, 8, 6, "gated-gelu", false};

template <const T5Kind& kind>
struct T5ConfigOf {
  static constexpr const char* model_type = kind.model_type;
  static constexpr const char* class_prefix = kind.class_prefix;
  static constexpr bool masks_pairs = false;
  static constexpr const char* body_name = "";  // its parts stand alone

  int64_t vocab_size = kind.vocab_size;
  int64_t d_model = 512;
  int64_t d_kv = 64;  // a head's
  int64_t d_ff = kind.d_ff;
  int64_t num_layers = kind.num_layers;
  std::optional<int64_t> num_decoder_layers = {};  // num_layers
  int64_t num_heads = kind.num_heads;
  int64_t relative_attention_num_buckets = 32;
  int64_t relative_attention_max_distance = 128;
  double dropout_rate = 0.1;
  double layer_norm_epsilon = 1e-6;
  double initializer_factor = 1;
  // An activation, or "gated-" and one; gelu is its approximation where it gates.
  std::string feed_forward_proj = kind.feed_forward_proj;
  std::optional<int64_t> pad_token_id = 0;
  std::optional<int64_t> decoder_start_token_id = {};           // pad_token_id
  std::optional<int64_t> bos_token_id = {}, eos_token_id = {};  // the end is 1 by default
  // Whether hidden states are divided by sqrt(d_model) before tokens are scored: that of T5, where
  // its file says nothing else by this field or by tie_word_embeddings = false; not of mT5.
  bool scale_decoder_outputs = kind.scales_outputs;

  static std::string class_name(Task task);
  static std::vector<Task> tasks() { return {Task::features, Task::seq2seq_lm}; }
  static std::vector<std::string> body_layers() { return {"shared", "encoder", "decoder"}; }
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<InputOptions> optional_inputs() const;
  std::optional<InputOfLabels> input_of_labels(Task task) const;
  GenerationSpec decoder() const;
  int64_t words_size() const { return d_model; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

using T5Config = T5ConfigOf<t5_kind>;
using MT5Config = T5ConfigOf<mt5_kind>;

}  // namespace systolic::inline v0
