// The encoder and decoder of BART and Marian, and the layers of Whisper. Internal to transformers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct BartSizes {
  int64_t hidden_size = 0;
  int64_t heads = 0;
  int64_t inner_size = 0;
  int64_t positions = 0;
  std::string activation = "gelu";
  double dropout = 0;
  double attention_dropout = 0;
  double activation_dropout = 0;
  double initializer_range = 0.02;
  double word_scale = 1;
  // Positions are sines and not learned, and what is embedded is not normalized.
  bool sinusoidal = false;
  // Before attention and before the dense network, and not after each; embeddings are not, and what
  // the last layer gives is (Whisper).
  bool normalizes_first = false;
  bool key_bias = true;        // of the projection of keys
  int64_t first_position = 2;  // BART's table has two rows that nobody looks up
};

// One layer. In an encoder: {x [batch, tokens, hidden_size], mask pred [batch, 1, 1, tokens]} ->
// {as x}; in a decoder as SourceLayerInputs say (transformers/layers/source_attention.h).
struct BartLayer {
  static constexpr const char* kind = "BartLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  BartSizes sizes;
  bool decodes = false;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  std::vector<Tensor> decoded(const std::vector<Tensor>& xs, CallContext& context) const;
  // What one part reads of x: normalized, where it is so first.
  Tensor read(const Tensor& x, const std::string& part, CallContext& context) const;
  // x and what one part made of it, normalized, where it is so after.
  Tensor added(const Tensor& x, const Tensor& y, const std::string& part,
               CallContext& context) const;
  Tensor fed_forward(const Tensor& x, CallContext& context) const;
};

// An encoder: {x [batch, tokens, hidden_size], the tokens' vectors, mask [batch, tokens]} ->
// {states, as x}. A decoder: see transformers/layers/source_attention.h.
struct BartStack {
  static constexpr const char* kind = "BartStack";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  BartSizes sizes;
  int64_t layers = 0;
  bool decodes = false;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  std::vector<Layer> all_layers() const;
  // `positions` i32 [1 or batch, tokens].
  Tensor embedded(const Tensor& x, const Tensor& positions, CallContext& context) const;
  Tensor finished(const Tensor& x, CallContext& context) const;
  void check_length(const Tensor& x, CallContext& context) const;
};

}  // namespace systolic::inline v0
