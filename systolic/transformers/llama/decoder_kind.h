// Llama and its relatives as a table: what each has that others have not, and its defaults. All
// are one architecture, transformers/llama/llama_body.h.
//
// Llama (Touvron et al. 2023, arXiv 2302.13971; Llama 2: 2307.09288; Llama 3 and SmolLM 2 are this
// kind, too) · SmolLM3 · Mistral (Jiang et al. 2023, arXiv 2310.06825) · Qwen2 (arXiv 2407.10671) ·
// Qwen3 (arXiv 2505.09388) · Gemma (arXiv 2403.08295), Gemma 2 (arXiv 2408.00118), Gemma 3 (arXiv
// 2503.19786), its texts · Phi-1, Phi-1.5, Phi-2 (Li et al. 2023, arXiv 2309.05463).
#pragma once

#include <cstdint>
#include <string>

namespace systolic::inline v0 {

// A field that a kind's config.json does not have. Its struct refuses values of it.
struct NoField {};

// Which layers attend to the last few tokens only.
enum class Windows : uint8_t {
  none,
  all,         // where there is a sliding_window
  last,        // those from max_window_layers on, where use_sliding_window says so
  alternating  // all but each window_period-th
};

struct DecoderKind {
  const char* model_type = "";
  const char* class_prefix = "";        // of LlamaForCausalLM
  const char* other_class_prefix = "";  // of LlamaModel and LlamaForSequenceClassification
  bool has_token_classification = true;

  // Defaults of config.json.
  int64_t vocab_size = 32000, hidden_size = 4096, intermediate_size = 11008;
  int64_t num_hidden_layers = 32, num_attention_heads = 32;
  int64_t num_key_value_heads = 0;  // 0: num_attention_heads
  int64_t head_dim = 0;             // 0: hidden_size / num_attention_heads
  const char* hidden_act = "silu";
  int64_t max_position_embeddings = 2048;
  double epsilon = 1e-6;
  double rope_theta = 10000;
  bool ties_word_embeddings = false;
  int64_t pad_token_id = -1, eos_token_id = -1;  // -1: none
  int64_t sliding_window = 0;                    // 0: none
  double attention_cap = 0, final_cap = 0;       // 0: none

  // Which fields it has.
  bool has_head_dim = false;
  bool has_hidden_activation = false;  // and not hidden_act
  bool has_attention_bias = false;     // of all four projections
  bool has_mlp_bias = false;
  bool has_query_pre_attn_scalar = false;
  bool has_caps = false;
  bool has_unrotated_layers = false;  // no_rope_layers
  bool has_local_rope = false;        // other rope_parameters for layers with a window
  Windows windows = Windows::none;
  int64_t window_period = 0;

  // How it computes (LlamaSizes).
  bool projection_bias = false;  // without a field
  bool is_phi = false;           // LayerNormalization, biases, both halves at once, no gate
  bool is_gemma = false;         // 1 + gamma, and the tokens' vectors times sqrt(hidden_size)
  bool normalizes_heads = false;
  bool normalizes_after = false;
};

namespace decoder_kinds {

inline constexpr DecoderKind llama{.model_type = "llama",
                                   .class_prefix = "Llama",
                                   .other_class_prefix = "Llama",
                                   .eos_token_id = 2,
                                   .has_head_dim = true,
                                   .has_attention_bias = true,
                                   .has_mlp_bias = true};

// SmolLM3 (Hugging Face 2025): Llama, in which some layers do not rotate positions.
inline constexpr DecoderKind smollm3{.model_type = "smollm3",
                                     .class_prefix = "SmolLM3",
                                     .other_class_prefix = "SmolLM3",
                                     .vocab_size = 128256,
                                     .hidden_size = 2048,
                                     .num_hidden_layers = 36,
                                     .num_attention_heads = 16,
                                     .num_key_value_heads = 4,
                                     .max_position_embeddings = 32768,
                                     .rope_theta = 2000000,
                                     .ties_word_embeddings = true,
                                     .pad_token_id = 128004,
                                     .eos_token_id = 128001,
                                     .has_attention_bias = true,
                                     .has_mlp_bias = true,
                                     .has_unrotated_layers = true};

// Mistral 7B (Jiang et al. 2023, arXiv 2310.06825): each layer sees a window of the last
// sliding_window tokens.
inline constexpr DecoderKind mistral{.model_type = "mistral",
                                     .class_prefix = "Mistral",
                                     .other_class_prefix = "Mistral",
                                     .intermediate_size = 14336,
                                     .num_key_value_heads = 8,
                                     .max_position_embeddings = 131072,
                                     .eos_token_id = 2,
                                     .sliding_window = 4096,
                                     .has_head_dim = true,
                                     .windows = Windows::all};

// Qwen2 (arXiv 2407.10671): queries, keys and values have biases; the last layers may have a
// window.
inline constexpr DecoderKind qwen2{.model_type = "qwen2",
                                   .class_prefix = "Qwen2",
                                   .other_class_prefix = "Qwen2",
                                   .vocab_size = 151936,
                                   .intermediate_size = 22016,
                                   .num_key_value_heads = 32,
                                   .max_position_embeddings = 32768,
                                   .sliding_window = 4096,
                                   .windows = Windows::last,
                                   .projection_bias = true};

// Qwen3 (arXiv 2505.09388): heads have a size of their own, and their queries and keys are
// normalized.
inline constexpr DecoderKind qwen3{.model_type = "qwen3",
                                   .class_prefix = "Qwen3",
                                   .other_class_prefix = "Qwen3",
                                   .vocab_size = 151936,
                                   .intermediate_size = 22016,
                                   .num_key_value_heads = 32,
                                   .head_dim = 128,
                                   .max_position_embeddings = 32768,
                                   .sliding_window = 4096,
                                   .has_head_dim = true,
                                   .has_attention_bias = true,
                                   .windows = Windows::last,
                                   .normalizes_heads = true};

// Gemma (arXiv 2403.08295): norms scale by 1 + gamma, and the tokens' vectors by sqrt(hidden_size).
inline constexpr DecoderKind gemma{.model_type = "gemma",
                                   .class_prefix = "Gemma",
                                   .other_class_prefix = "Gemma",
                                   .vocab_size = 256000,
                                   .hidden_size = 3072,
                                   .intermediate_size = 24576,
                                   .num_hidden_layers = 28,
                                   .num_attention_heads = 16,
                                   .num_key_value_heads = 16,
                                   .head_dim = 256,
                                   .hidden_act = "gelu_pytorch_tanh",
                                   .max_position_embeddings = 8192,
                                   .ties_word_embeddings = true,
                                   .pad_token_id = 0,
                                   .eos_token_id = 1,
                                   .has_head_dim = true,
                                   .has_attention_bias = true,
                                   .is_gemma = true};

// Gemma 2 (arXiv 2408.00118): Gemma with norms after each half of a layer too, caps on scores and
// logits, and a window in every other layer.
inline constexpr DecoderKind gemma2{.model_type = "gemma2",
                                    .class_prefix = "Gemma2",
                                    .other_class_prefix = "Gemma2",
                                    .vocab_size = 256000,
                                    .hidden_size = 2304,
                                    .intermediate_size = 9216,
                                    .num_hidden_layers = 26,
                                    .num_attention_heads = 8,
                                    .num_key_value_heads = 4,
                                    .head_dim = 256,
                                    .hidden_act = "gelu_pytorch_tanh",
                                    .max_position_embeddings = 8192,
                                    .ties_word_embeddings = true,
                                    .pad_token_id = 0,
                                    .eos_token_id = 1,
                                    .sliding_window = 4096,
                                    .attention_cap = 50,
                                    .final_cap = 30,
                                    .has_head_dim = true,
                                    .has_hidden_activation = true,
                                    .has_attention_bias = true,
                                    .has_query_pre_attn_scalar = true,
                                    .has_caps = true,
                                    .windows = Windows::alternating,
                                    .window_period = 2,
                                    .is_gemma = true,
                                    .normalizes_after = true};

// Gemma 3's texts (arXiv 2503.19786): Gemma 2 with normalized heads, no caps by default, and a
// window in all but each sixth layer, where positions turn at another rate. It has no token
// classification.
inline constexpr DecoderKind gemma3{.model_type = "gemma3_text",
                                    .class_prefix = "Gemma3",
                                    .other_class_prefix = "Gemma3Text",
                                    .has_token_classification = false,
                                    .vocab_size = 262208,
                                    .hidden_size = 2304,
                                    .intermediate_size = 9216,
                                    .num_hidden_layers = 26,
                                    .num_attention_heads = 8,
                                    .num_key_value_heads = 4,
                                    .head_dim = 256,
                                    .hidden_act = "gelu_pytorch_tanh",
                                    .max_position_embeddings = 131072,
                                    .rope_theta = 1000000,
                                    .ties_word_embeddings = true,
                                    .pad_token_id = 0,
                                    .eos_token_id = 1,
                                    .sliding_window = 4096,
                                    .has_head_dim = true,
                                    .has_hidden_activation = true,
                                    .has_attention_bias = true,
                                    .has_query_pre_attn_scalar = true,
                                    .has_caps = true,
                                    .has_local_rope = true,
                                    .windows = Windows::alternating,
                                    .window_period = 6,
                                    .is_gemma = true,
                                    .normalizes_heads = true,
                                    .normalizes_after = true};

// Phi-1, Phi-1.5 and Phi-2 (Li et al. 2023, arXiv 2309.05463): attention and the dense network run
// beside each other on one LayerNorm, all with biases and without a gate.
inline constexpr DecoderKind phi{.model_type = "phi",
                                 .class_prefix = "Phi",
                                 .other_class_prefix = "Phi",
                                 .vocab_size = 51200,
                                 .hidden_size = 2048,
                                 .intermediate_size = 8192,
                                 .num_hidden_layers = 24,
                                 .hidden_act = "gelu_new",
                                 .epsilon = 1e-5,
                                 .eos_token_id = 2,
                                 .is_phi = true};

}  // namespace decoder_kinds

}  // namespace systolic::inline v0
