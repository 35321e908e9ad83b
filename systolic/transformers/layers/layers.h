// Small layers and functions that the architectures share. Internal to transformers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/trace/ops/attention.h"

namespace systolic::inline v0 {

// A vector for each token, and back: integers [batch, ...] -> [batch, ..., size], and floats
// [batch, ..., size] -> scores of the tokens, [batch, ..., tokens], by the same table. What ties
// the output of a language model to its input. The vector of `padding`, the token that pads, learns
// nothing from being looked up (padding_idx of torch.nn.Embedding).
//
// Weights: embeddings [tokens, size].
struct TiedEmbedding {
  static constexpr const char* kind = "TiedEmbedding";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Required<int64_t> tokens;
  Required<int64_t> size;
  std::optional<int64_t> padding = {};  // -1: the last
  double initializer_range = 0.02;
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  std::vector<LookupLimit> lookups() const { return {{.limit = tokens}}; }
};

// A vector for each position: token ids [batch, tokens] -> [1, tokens, size]. With `padding`, the
// token that pads, [batch, tokens, size] as RoBERTa counts: positions from padding + 1 on for the
// other tokens, `padding` for those that pad, whose vector does not learn. InvalidArgument for more
// tokens than there are positions. {ids, positions [batch, tokens]} -> [batch, tokens, size], those
// at these positions.
//
// Weights: embeddings [count, size].
struct LearnedPositions {
  static constexpr const char* kind = "LearnedPositions";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Required<int64_t> count;
  Required<int64_t> size;
  std::optional<int64_t> padding = {};
  double initializer_range = 0.02;
  bool sinusoidal = false;  // vectors start as sines, and not at random
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;
};

// Gives an output of a network its name.
struct Output {
  static constexpr const char* kind = "Output";
  static constexpr LayerTraits traits = {.moves_elements = true};
  static constexpr bool casts_inputs = false;
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext&) const { return x; }
  std::optional<SeenInput> moved(const SeenInput& x) const { return x; }
};
Symbol named_output(const Symbol& x, std::string name);

// A head's logits, the input of losses and metrics: f32 at least, whatever the model computes in.
Symbol named_scores(const Symbol& x, std::string name);
// [batch, tokens], of which those count in losses and metrics where `counted`, of that shape, is 1.
Symbol named_scores(const Symbol& x, const Symbol& counted, std::string name);

// What `words`, a layer inside of another, looks up of that one's first input.
std::vector<LookupLimit> lookups_of(const Layer& words);

// Calls a layer that is written within another's call: found again by its name at the next call.
Tensor inner(CallContext& context, const Layer& layer, const std::vector<Tensor>& xs);

// A Dense whose kernel starts as in `transformers`, normal with that deviation.
Dense linear(int64_t units, double initializer_range, std::string name,
             Activation activation = "linear");

// Attention over heads that share the last axis: query, key and value [batch, tokens, heads * size]
// -> [batch, tokens, heads * size]. `dropout` is of the probabilities, while training.
Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, int64_t heads,
                 double dropout, AttentionOptions options, CallContext& context);

// x, some of it dropped while training.
Tensor dropped(const Tensor& x, double rate, std::string name, CallContext& context);
Tensor layer_norm(const Tensor& x, double epsilon, std::string name, CallContext& context);

// The functions that `hidden_act` of a config.json may name.
const std::vector<std::string>& hidden_activations();
Activation hidden_activation(const std::string& name);

// The positions that may be seen as a mask over keys: attention_mask [batch, tokens] of 0 and 1 ->
// pred [batch, 1, 1, tokens]; one that differs by the query, [batch, tokens, tokens] -> pred
// [batch, 1, tokens, tokens].
Tensor key_mask(const Tensor& attention_mask);
// Those that at least one query may see: [batch, tokens].
Tensor shown_tokens(const Tensor& attention_mask);

}  // namespace systolic::inline v0
