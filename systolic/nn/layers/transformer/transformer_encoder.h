// One block of a Transformer's encoder (keras_hub.layers.TransformerEncoder; Vaswani et al. 2017,
// section 3.1): attention of a sequence to itself, then two Dense layers, each added to what came
// in and normalized; normalize_first normalizes before instead.
//
//   Symbol y = TransformerEncoder{.intermediate_dim = 1536, .num_heads = 12}({x, padding_mask});
//
// x [batch, length, features] -> the same shape; features are a multiple of num_heads. After x any
// number of masks, as MultiHeadAttention takes them: [batch, length] (padding_mask), [batch,
// length, length] (attention_mask).
//
// Weights: those of self_attention_layer (MultiHeadAttention), self_attention_layer_norm,
// feedforward_intermediate_dense, feedforward_output_dense and feedforward_layer_norm.
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/transformer/transformer_parts.h"

namespace systolic::inline v0 {

struct TransformerEncoder {
  static constexpr const char* kind = "TransformerEncoder";
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
  template <class Self = TransformerEncoder>
  static constexpr auto fields() {
    return transformer_fields<Self>();
  }
};

extern template Layer::Layer(TransformerEncoder);

}  // namespace systolic::inline v0
