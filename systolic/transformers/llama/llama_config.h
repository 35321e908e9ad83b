// Llama and its relatives (transformers/llama/decoder_kind.h): the fields and defaults of
// transformers' LlamaConfig, MistralConfig, Qwen2Config, ... A struct has the fields of its
// config.json; to give it another is an error of the compiler.
//
//   LlamaForCausalLM::from_config({.vocab_size = 1000, .hidden_size = 64, .intermediate_size = 172,
//                                  .num_hidden_layers = 2, .num_attention_heads = 4,
//                                  .num_key_value_heads = 2})
//
// Inputs: input_ids, attention_mask (1 where it is left out), [batch, tokens]; pad after the text.
// Features: last_hidden_state [batch, tokens, hidden_size]. Each token sees itself and those before
// it.
//
// The head of causal language models: logits [batch, tokens, vocab_size] for the token that comes
// next; labels are the input_ids themselves, -100 where none counts. That of sequences stands on
// the last token that is not pad_token_id, and without a pad_token_id (where `transformers` takes
// one text at a time) on the last that attention_mask shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/config/rope_parameters.h"
#include "systolic/transformers/llama/decoder_kind.h"

namespace systolic::inline v0 {

template <const DecoderKind& kind>
struct LlamaConfigOf {
  static constexpr const char* model_type = kind.model_type;
  static constexpr const char* class_prefix = kind.class_prefix;
  static constexpr const char* body_name = "model";
  static constexpr bool ties_word_embeddings = kind.ties_word_embeddings;

  template <bool exists, class T>
  using If = std::conditional_t<exists, T, NoField>;
  static constexpr bool has_windows = kind.windows != Windows::none;
  static constexpr bool has_layer_types =
      kind.windows == Windows::last || kind.windows == Windows::alternating;
  static constexpr std::optional<int64_t> unless(int64_t none, int64_t value) {
    return value == none ? std::nullopt : std::optional(value);
  }
  template <bool exists, class T>
  static constexpr If<exists, T> only_if(T value) {
    if constexpr (exists) return value;
    return {};
  }

  int64_t vocab_size = kind.vocab_size;
  int64_t hidden_size = kind.hidden_size;
  int64_t intermediate_size = kind.intermediate_size;
  int64_t num_hidden_layers = kind.num_hidden_layers;
  int64_t num_attention_heads = kind.num_attention_heads;
  // Heads of keys and values, each shared by several queries; num_attention_heads.
  std::optional<int64_t> num_key_value_heads = unless(0, kind.num_key_value_heads);
  // hidden_size / num_attention_heads
  If<kind.has_head_dim, std::optional<int64_t>> head_dim =
      only_if<kind.has_head_dim>(unless(0, kind.head_dim));
  If<!kind.has_hidden_activation, std::string> hidden_act =
      only_if<!kind.has_hidden_activation>(std::string(kind.hidden_act));
  If<kind.has_hidden_activation, std::string> hidden_activation =
      only_if<kind.has_hidden_activation>(std::string(kind.hidden_act));
  int64_t max_position_embeddings = kind.max_position_embeddings;
  double initializer_range = 0.02;
  If<!kind.is_phi, double> rms_norm_eps = only_if<!kind.is_phi>(kind.epsilon);
  If<kind.is_phi, double> layer_norm_eps = only_if<kind.is_phi>(kind.epsilon);
  RopeParameters rope_parameters = {
      .rope_theta = kind.rope_theta,
      .partial_rotary_factor = kind.is_phi ? std::optional(0.5) : std::nullopt};
  // For layers with a window: rope_parameters.sliding_attention in the file.
  If<kind.has_local_rope, RopeParameters> local_rope_parameters = {};
  // For each layer, 1 where positions turn queries and keys; all but each fourth.
  If<kind.has_unrotated_layers, std::vector<int64_t>> no_rope_layers = {};
  If<kind.has_attention_bias, bool> attention_bias = only_if<kind.has_attention_bias>(false);
  If<kind.has_mlp_bias, bool> mlp_bias = only_if<kind.has_mlp_bias>(false);
  // A token sees this many tokens, itself included; none: all.
  If<has_windows, std::optional<int64_t>> sliding_window =
      only_if<has_windows>(unless(0, kind.sliding_window));
  If<kind.windows == Windows::last, bool> use_sliding_window =
      only_if<kind.windows == Windows::last>(false);
  If<kind.windows == Windows::last, int64_t> max_window_layers =
      only_if<kind.windows == Windows::last>(int64_t{28});
  // "full_attention" or "sliding_attention" of each layer; by max_window_layers, or all but each
  // second (Gemma 2) or sixth (Gemma 3).
  If<has_layer_types, std::vector<std::string>> layer_types = {};
  // Queries are divided by its root; 256, and of other kinds the size of a head.
  If<kind.has_query_pre_attn_scalar, int64_t> query_pre_attn_scalar =
      only_if<kind.has_query_pre_attn_scalar>(int64_t{256});
  // Scores become cap * tanh(score / cap). Gemma 3 has the first in its file and does without.
  If<kind.has_caps && kind.attention_cap != 0, std::optional<double>> attn_logit_softcapping =
      only_if < kind.has_caps && kind.attention_cap != 0 > (std::optional(kind.attention_cap));
  If<kind.has_caps, std::optional<double>> final_logit_softcapping =
      only_if<kind.has_caps>(kind.final_cap == 0 ? std::nullopt : std::optional(kind.final_cap));
  double attention_dropout = 0;
  If<kind.is_phi, double> embd_pdrop = only_if<kind.is_phi>(0.0);
  If<kind.is_phi, double> resid_pdrop = only_if<kind.is_phi>(0.0);
  If<kind.is_phi, bool> qk_layernorm = only_if<kind.is_phi>(false);
  std::optional<int64_t> pad_token_id = unless(-1, kind.pad_token_id);
  // Before and after a text; generate() ends after the latter. Default: the architecture's own.
  std::optional<int64_t> bos_token_id = {}, eos_token_id = {};

  static std::string class_name(Task task);
  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  GenerationSpec decoder() const;
  int64_t words_size() const { return hidden_size; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

using LlamaConfig = LlamaConfigOf<decoder_kinds::llama>;
// SmolLM3's fields and defaults.
using SmolLM3Config = LlamaConfigOf<decoder_kinds::smollm3>;
using MistralConfig = LlamaConfigOf<decoder_kinds::mistral>;
using Qwen2Config = LlamaConfigOf<decoder_kinds::qwen2>;
// Qwen3's fields and defaults.
using Qwen3Config = LlamaConfigOf<decoder_kinds::qwen3>;
// Gemma's fields and defaults.
using GemmaConfig = LlamaConfigOf<decoder_kinds::gemma>;
// Gemma 2's fields and defaults.
using Gemma2Config = LlamaConfigOf<decoder_kinds::gemma2>;
// The fields and defaults of Gemma 3 for texts ("gemma3_text").
using Gemma3TextConfig = LlamaConfigOf<decoder_kinds::gemma3>;
// The fields and defaults of Phi-1, Phi-1.5 and Phi-2.
using PhiConfig = LlamaConfigOf<decoder_kinds::phi>;

}  // namespace systolic::inline v0
