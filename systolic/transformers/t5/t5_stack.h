// T5's encoder and decoder. Internal to transformers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/layers/relative_buckets.h"

namespace systolic::inline v0 {

struct T5Sizes {
  int64_t hidden_size = 0;
  int64_t heads = 0;
  int64_t head_size = 0;
  int64_t inner_size = 0;
  std::string activation = "relu";
  bool gated = false;  // activation(wi_0 · x) * (wi_1 · x)
  double dropout = 0;
  double epsilon = 1e-6;
  double initializer_factor = 1;
};

// One layer. In an encoder: {x [batch, tokens, hidden_size], mask pred [batch, 1, 1, tokens], bias
// [1, heads, tokens, tokens]} -> {as x}; in a decoder as SourceLayerInputs say
// (transformers/layers/source_attention.h).
struct T5Block {
  static constexpr const char* kind = "T5Block";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  T5Sizes sizes;
  bool decodes = false;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  std::vector<Tensor> decoded(const std::vector<Tensor>& xs, CallContext& context) const;
  Tensor fed_forward(const Tensor& x, const std::string& part, CallContext& context) const;
};

// An encoder: {x [batch, tokens, hidden_size], the tokens' vectors, mask [batch, tokens]} ->
// {states, as x}. A decoder: see transformers/layers/source_attention.h.
struct T5Stack {
  static constexpr const char* kind = "T5Stack";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  T5Sizes sizes;
  RelativeBuckets buckets;
  int64_t layers = 0;
  bool decodes = false;
  double output_scale = 1;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  std::vector<Layer> blocks() const;
  // What is added to scores of tokens in these slots, i32 [tokens], for keys 0, 1, ...: [1, heads,
  // tokens, keys].
  Tensor bias(const Tensor& slots, int64_t keys, CallContext& context) const;
  Tensor finished(const Tensor& x, CallContext& context) const;
};

}  // namespace systolic::inline v0
