// GPT-2's body: a decoder, in which each token sees itself and those before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct GPT2Sizes {
  int64_t hidden_size = 0;
  int64_t heads = 0;
  int64_t inner_size = 0;
  int64_t positions = 0;
  std::string activation = "gelu_new";
  double layer_norm_epsilon = 1e-5;
  double initializer_range = 0.02;
  double output_initializer_range = 0.02;  // of the products whose results are added to x
  // For the embeddings, attention's probabilities, and the outputs of attention and the dense
  // network.
  double embedding_dropout = 0;
  double attention_dropout = 0;
  double output_dropout = 0;
  bool scale_attention = true;             // by 1 / sqrt(size of a head)
  bool scale_by_inverse_of_layer = false;  // of layer i by 1 / (i + 1) besides
};

// One layer: attention and a dense network of two layers, each normalized before, each with a way
// around it. {x [batch, tokens, hidden_size], mask pred [batch, 1, 1, tokens]} -> {as x}. Reading
// on (transformers/layers/decoder.h) it takes {x, mask pred [batch, 1, tokens, slots], slot, keys,
// values}, and gives its keys and values [batch, slots, hidden_size] besides.
struct GPT2Layer {
  static constexpr const char* kind = "GPT2Layer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  GPT2Sizes sizes;
  int64_t index = 0;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  std::vector<Tensor> attended(const std::vector<Tensor>& xs, CallContext& context) const;
};

// {input_ids, attention_mask}, [batch, tokens] each -> {[batch, tokens, hidden_size]}; or as a
// Decoder calls it (transformers/layers/decoder.h).
struct GPT2Body {
  static constexpr const char* kind = "GPT2Body";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  GPT2Sizes sizes;
  Layer words;  // a TiedEmbedding, "wte"
  int64_t layers = 0;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;

 private:
  std::vector<Layer> all_layers() const;
  std::vector<Tensor> call_with_caches(const std::vector<Tensor>& xs, CallContext& context) const;
  Tensor embedded(const std::vector<Tensor>& positioned, CallContext& context) const;
};

}  // namespace systolic::inline v0
