// Attention with several heads (keras.layers.MultiHeadAttention; Vaswani et al. 2017).
//
//   Symbol y = MultiHeadAttention{.num_heads = 8, .key_dim = 64}({x, x});          // to itself
//   Symbol y = MultiHeadAttention{.num_heads = 8, .key_dim = 64}({x, memory, mask});
//
// Inputs in Keras's order: query [batch, target..., features], value [batch, source..., features]
// and key, which is the value where it is left out; query alone attends to itself. After them any
// number of masks, told by their type, pred or integers, which must all hold: [batch, source] for
// padding (Keras's value_mask, a tokenizer's attention_mask), [batch, target, source]
// (attention_mask), [batch, target, 1] for the query's own padding (query_mask) or [batch, heads,
// target, source]. Those of an Embedding{.mask_zero = true} join them of themselves, the query's
// too. A query that may attend to nothing gives the mean of all values, or with dropout, returned
// scores or several axes 0, as in Keras 3.15. Several axes of target or source are attended to
// together.
//
// Output: [batch, target..., output_shape], output_shape being the query's features unless given;
// with return_attention_scores also the probabilities [batch, heads, target, source]: call
// outputs(...).
//
// Weights: query/kernel [features, heads, key_dim], query/bias [heads, key_dim], then key's,
// value's, attention_output/kernel [heads, value_dim, output...] and attention_output/bias.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct MultiHeadAttention {
  static constexpr const char* kind = "MultiHeadAttention";
  static constexpr LayerTraits traits = {};
  Required<int64_t> num_heads;
  Required<int64_t> key_dim;
  std::optional<int64_t> value_dim = {};  // key_dim
  double dropout = 0;                     // of the probabilities, while training
  bool use_bias = true;
  std::vector<int64_t> output_shape = {};
  // Only its default, all axes between batch and features: others are Unimplemented.
  std::vector<int64_t> attention_axes = {};
  // For Keras's configurations: what is fused, and how, the device's compiler decides.
  std::optional<bool> flash_attention = {};
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  std::optional<int64_t> seed = {};  // of the dropout, instead of the model's
  // These two are arguments of the call in Keras.
  bool use_causal_mask = false;
  bool return_attention_scores = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

  // With return_attention_scores: Layer l = MultiHeadAttention{...}; l.outputs({x, x})
  Symbol operator()(const std::vector<Symbol>& xs) && { return call_once(std::move(*this), xs); }
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context) && {
    return call_once(std::move(*this), xs, context);
  }

  static KerasForm keras_form();
  template <class Self = MultiHeadAttention>
  static constexpr auto fields() {
    return std::tuple(field("num_heads", &Self::num_heads), field("key_dim", &Self::key_dim),
                      field("value_dim", &Self::value_dim), field("dropout", &Self::dropout),
                      field("use_bias", &Self::use_bias),
                      field("output_shape", &Self::output_shape),
                      field("attention_axes", &Self::attention_axes),
                      field("flash_attention", &Self::flash_attention),
                      field("kernel_initializer", &Self::kernel_initializer),
                      field("bias_initializer", &Self::bias_initializer),
                      field("kernel_regularizer", &Self::kernel_regularizer),
                      field("kernel_constraint", &Self::kernel_constraint),
                      field("bias_regularizer", &Self::bias_regularizer),
                      field("bias_constraint", &Self::bias_constraint), field("seed", &Self::seed),
                      field("use_causal_mask", &Self::use_causal_mask),
                      field("return_attention_scores", &Self::return_attention_scores),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(MultiHeadAttention);

}  // namespace systolic::inline v0
