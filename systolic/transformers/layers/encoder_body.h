// The encoder shared by BERT and its relatives, under the names that each gives its weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/trace/ops/attention.h"
#include "systolic/transformers/layers/block_sparse_attention.h"
#include "systolic/transformers/layers/disentangled_attention.h"
#include "systolic/transformers/layers/relative_buckets.h"

namespace systolic::inline v0 {

// The names of the parts of an encoder's layer in checkpoints.
struct EncoderLayerNames {
  const char* query = "attention.self.query";
  const char* key = "attention.self.key";
  const char* value = "attention.self.value";
  const char* attention_output = "attention.output.dense";
  const char* attention_norm = "attention.output.LayerNorm";
  const char* inner = "intermediate.dense";
  const char* output = "output.dense";
  const char* output_norm = "output.LayerNorm";
};

struct EncoderSizes {
  int64_t hidden_size = 0;
  int64_t heads = 0;
  int64_t intermediate_size = 0;
  std::string activation = "gelu";
  double layer_norm_epsilon = 1e-12;
  double initializer_range = 0.02;
  // For attention's probabilities, attention's output, and the dense network's output.
  double probability_dropout = 0;
  double attention_dropout = 0;
  double output_dropout = 0;
  bool projection_bias = true;  // of query, key and value
  bool causal = false;          // each token sees itself and those before it only
  // Before attention and before the dense network, and not after each; embeddings are not, and what
  // the last layer gives is (XLM-R XL).
  bool normalizes_first = false;
};

// One layer: attention and a dense network of two layers, each with a residual connection and
// normalized after it. {x [batch, tokens, hidden_size], mask pred [batch, 1, 1 or tokens, tokens],
// and perhaps a bias of scores, [1, heads, tokens, tokens], or where `disentangled` is set the two
// tables of transformers/layers/disentangled_attention.h, or where `reach` is which tokens see all,
// pred [batch, tokens]} -> {as x}. With caches
// (transformers/layers/decoder.h) it takes {x, mask pred [batch, 1, tokens, slots], slot, keys,
// values}, and also returns its keys and values [batch, slots, hidden_size].
struct EncoderLayer {
  static constexpr const char* kind = "EncoderLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  EncoderSizes sizes;
  EncoderLayerNames names;
  std::optional<BlockSparse> sparse = {};  // the attention of long sequences
  std::optional<DisentangledAttention> disentangled = {};
  std::optional<int64_t> reach = {};  // Longformer: transformers/layers/windowed_attention.h
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  Tensor projected(const Tensor& x, const char* layer, CallContext& context) const;
  // What positions add to the scores.
  Tensor position_scores(const Tensor& query, const Tensor& key, const std::vector<Tensor>& xs,
                         CallContext& context) const;
  // {what attention gives}, and keys and values where it reads on.
  std::vector<Tensor> attended(const std::vector<Tensor>& xs, CallContext& context) const;
  Tensor attended_in_windows(const std::vector<Tensor>& xs, CallContext& context) const;
  Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value,
                const AttentionOptions& options, CallContext& context) const;
};

// {input_ids, attention_mask, token_type_ids where there are types}, [batch, tokens] each ->
// {last_hidden_state [batch, tokens, hidden_size], pooler_output [batch, hidden_size]}. One whose
// sizes.causal is set is called by a Decoder too (transformers/layers/decoder.h), for tokens of the
// first type.
struct EncoderBody {
  static constexpr const char* kind = "EncoderBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  EncoderSizes sizes;
  EncoderLayerNames names;
  Layer words;                 // a TiedEmbedding, "embeddings.word_embeddings"
  int64_t vocabulary = 0;      // of it, where `sparse` is set
  int64_t embedding_size = 0;  // of it
  int64_t positions = 0;
  bool sinusoidal_positions = false;  // these start as sines, and not at random
  int64_t types = 0;                  // 0: the architecture knows none
  double embedding_dropout = 0;
  // RoBERTa's way of counting: from this id + 1, and only tokens that are not this id, which pads.
  std::optional<int64_t> padding_position = {};
  // All layers add to their scores a number of each head for each distance (MPNet): their table is
  // "encoder.relative_attention_bias" [buckets, heads].
  std::optional<RelativeBuckets> relative = {};
  // From embedding_size to hidden_size; none where it is empty.
  std::string projection = {};
  // In order; layers of one name share their weights.
  std::vector<std::string> layers;
  std::string pooler = {};         // none where it is empty
  double word_scale = 1;           // of the tokens' vectors
  bool drops_before_norm = false;  // embeddings
  // BigBird's attention; longer sequences are padded to whole blocks meanwhile, by that token.
  std::optional<BlockSparse> sparse = {};
  int64_t padding_token = 0;
  // Longformer's attention, of each layer: how far tokens see. The last input says which see all,
  // and are seen by all, pred [batch, tokens].
  std::vector<int64_t> reaches = {};
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;

 private:
  std::vector<Tensor> padded_to_blocks(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<Tensor> call_with_caches(const std::vector<Tensor>& xs, CallContext& context) const;
  // Unimplemented where sparse attention is asked for more than it knows.
  void check_blocks(const std::vector<Tensor>& xs) const;
  std::vector<Layer> all_layers() const;
  Tensor relative_bias(int64_t tokens, CallContext& context) const;
  Tensor finished(const Tensor& x, CallContext& context) const;
  // Of {ids} or {ids, positions}, and the tokens' types.
  Tensor embedded(const std::vector<Tensor>& positioned, const Tensor& type_ids,
                  CallContext& context) const;
};

// "encoder.layer.0", "encoder.layer.1", ...
std::vector<std::string> numbered_layers(const std::string& prefix, int64_t count);

}  // namespace systolic::inline v0
