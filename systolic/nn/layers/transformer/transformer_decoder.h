// One block of a Transformer's decoder (keras_hub.layers.TransformerDecoder; Vaswani et al. 2017,
// section 3.1): attention of a sequence to itself and what stands before, then to an encoder's
// output where there is one, then two Dense layers; each added to what came in and normalized;
// normalize_first normalizes before instead.
//
//   Symbol y = TransformerDecoder{.intermediate_dim = 3072, .num_heads = 12}(x);     // GPT's
//   Symbol y = TransformerDecoder{...}({x, memory, memory_mask});
//
// x [batch, length, features] -> the same shape; features are a multiple of num_heads. Masks (pred
// or integers, as MultiHeadAttention takes them) stand after the sequence that they hide parts of.
//
// Weights: those of self_attention (MultiHeadAttention), self_attention_layer_norm, cross_attention
// and cross_attention_layer_norm where there is an encoder, feedforward_intermediate_dense,
// feedforward_output_dense and feedforward_layer_norm.
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/transformer/transformer_parts.h"

namespace systolic::inline v0 {

struct TransformerDecoder {
  static constexpr const char* kind = "TransformerDecoder";
  static constexpr LayerTraits traits = {};
  Required<int64_t> intermediate_dim;
  Required<int64_t> num_heads;
  double dropout = 0;  // after each part, and of the attention's probabilities
  Activation activation = "relu";
  double layer_norm_epsilon = 1e-5;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  bool normalize_first = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  Symbol operator()(const Symbol& x) && { return call_once(std::move(*this), x); }
  Symbol operator()(const std::vector<Symbol>& xs) && { return call_once(std::move(*this), xs); }
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context) && {
    return call_once(std::move(*this), xs, context);
  }

  static KerasForm keras_form() { return {.is_of_keras = false}; }  // KerasHub has it
  template <class Self = TransformerDecoder>
  static constexpr auto fields() {
    return transformer_fields<Self>();
  }
};

extern template Layer::Layer(TransformerDecoder);

}  // namespace systolic::inline v0
