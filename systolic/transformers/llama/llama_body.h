// The body of Llama and its relatives: a decoder whose positions turn queries and keys, under the
// options in which its kinds differ (transformers/llama/decoder_kind.h). Internal to transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/config/rope_parameters.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/layers/rotation.h"

namespace systolic::inline v0 {

// What the parts of a layer are called in checkpoints.
struct LlamaLayerNames {
  const char* output = "self_attn.o_proj";
  const char* wide = "mlp.up_proj";
  const char* narrow = "mlp.down_proj";
  const char* query_norm = "self_attn.q_norm";
  const char* key_norm = "self_attn.k_norm";
};

struct LlamaSizes {
  int64_t hidden_size = 0;
  int64_t heads = 0;
  int64_t key_value_heads = 0;  // each is shared by heads / key_value_heads
  int64_t head_size = 0;
  int64_t intermediate_size = 0;
  std::string activation = "silu";
  double epsilon = 1e-6;
  double initializer_range = 0.02;
  // For the tokens' vectors, attention's probabilities, and what each half of a layer adds to x.
  double embedding_dropout = 0;
  double attention_dropout = 0;
  double output_dropout = 0;
  bool projection_bias = false;  // of query, key and value
  bool output_bias = false;      // of attention's output
  bool mlp_bias = false;
  bool gated = true;              // activation(gate · x) * (up · x), and not activation(up · x)
  bool layer_norm = false;        // LayerNormalization with a shift, and not RMSNorm
  bool norm_adds_one = false;     // Gemma's RMSNorm
  bool normalizes_heads = false;  // each head's query and key
  bool normalizes_after = false;  // what each half of a layer adds to x, too
  bool parallel = false;          // both halves read the same normalized x
  std::optional<double> attention_scale = {};  // 1 / sqrt(head_size)
  std::optional<double> attention_cap = {};    // AttentionOptions::logit_cap
  LlamaLayerNames names = {};
};

// One layer. {x [batch, tokens, hidden_size], mask pred [batch, 1, 1 or tokens, tokens], cosine and
// sine of a Rotation} -> {as x}. With caches (transformers/layers/decoder.h) it takes {x, mask pred
// [batch, 1, tokens, slots], cosine, sine, slot, keys, values}, and also returns its keys and
// values [batch, slots, key_value_heads * head_size].
struct LlamaLayer {
  static constexpr const char* kind = "LlamaLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  LlamaSizes sizes;
  bool rotates = true;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  // {what attention gives}, and keys and values with caches; of x that is normalized.
  std::vector<Tensor> attended(const std::vector<Tensor>& xs, CallContext& context) const;
  Tensor heads_of(const Tensor& x, int64_t heads, const char* projection,
                  CallContext& context) const;
  Tensor mlp(const Tensor& x, CallContext& context) const;
};

// A layer's attention: to all tokens up to its own or to the last `window` of them, turned by one
// of LlamaBody::frequencies or not at all.
struct LlamaLayerPlan {
  std::optional<int64_t> window = {};
  std::optional<size_t> rotation = 0;
};

// {input_ids, attention_mask}, [batch, tokens] each -> {[batch, tokens, hidden_size]}; or as a
// Decoder calls it (transformers/layers/decoder.h).
struct LlamaBody {
  static constexpr const char* kind = "LlamaBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  LlamaSizes sizes;
  Layer words;  // a TiedEmbedding, "embed_tokens"
  double word_scale = 1;
  std::vector<RopeFrequencies> frequencies;
  std::vector<LlamaLayerPlan> layers;
  int64_t positions = 0;
  bool frequencies_grow = false;  // with texts longer than that, which is not implemented
  const char* last_norm = "norm";
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;

 private:
  Tensor embedded(const Tensor& ids, CallContext& context) const;
  std::vector<Rotation> rotations(const Tensor& positions) const;
  LlamaLayer layer(size_t i) const;
  std::vector<Tensor> call_with_caches(const std::vector<Tensor>& xs, CallContext& context) const;
};

}  // namespace systolic::inline v0
