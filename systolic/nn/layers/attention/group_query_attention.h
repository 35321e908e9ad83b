// Attention in which several query heads share a key and a value (keras.layers.GroupQueryAttention;
// Ainslie et al. 2023). With as many key-value heads as query heads it is MultiHeadAttention, with
// one multi-query attention.
//
//   Symbol y = GroupQueryAttention{.head_dim = 64, .num_query_heads = 8,
//                                  .num_key_value_heads = 2}({x, x});
//
// Inputs, masks and output [batch, target, features of the query] are as MultiHeadAttention has
// them (multi_head_attention.h). With sliding_window a query attends to keys fewer than this many
// steps away, with use_gate the heads' results are multiplied by sigmoid(query · kernel + bias).
//
// Weights: query/kernel [features, query heads, head_dim], query/bias, key's and value's of the
// key-value heads, gate's as the query's, attention_output/kernel [query heads, head_dim, features]
// and attention_output/bias. Query heads that the key-value heads do not divide and a window below
// 1 are an InvalidArgument.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct GroupQueryAttention {
  static constexpr const char* kind = "GroupQueryAttention";
  static constexpr LayerTraits traits = {};
  Required<int64_t> head_dim;
  Required<int64_t> num_query_heads;
  Required<int64_t> num_key_value_heads;
  double dropout = 0.0;  // of the probabilities, while training
  bool use_bias = true;
  std::optional<int64_t> sliding_window = {};
  // For Keras's configurations: what is fused, and how, the device's compiler decides.
  std::optional<bool> flash_attention = {};
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  bool use_gate = false;
  std::optional<int64_t> seed = {};  // of the dropout, beside the model's
  // These two are arguments of the call in Keras.
  bool use_causal_mask = false;
  bool return_attention_scores = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

  SYSTOLIC_MERGING_LAYER_CALLS

  static KerasForm keras_form();
  template <class Self = GroupQueryAttention>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(
            field("head_dim", &Self::head_dim), field("num_query_heads", &Self::num_query_heads),
            field("num_key_value_heads", &Self::num_key_value_heads),
            field("dropout", &Self::dropout), field("use_bias", &Self::use_bias),
            field("sliding_window", &Self::sliding_window),
            field("flash_attention", &Self::flash_attention),
            field("kernel_initializer", &Self::kernel_initializer),
            field("bias_initializer", &Self::bias_initializer),
            field("kernel_regularizer", &Self::kernel_regularizer),
            field("kernel_constraint", &Self::kernel_constraint),
            field("bias_regularizer", &Self::bias_regularizer),
            field("bias_constraint", &Self::bias_constraint), field("use_gate", &Self::use_gate),
            field("seed", &Self::seed), field("use_causal_mask", &Self::use_causal_mask),
            field("return_attention_scores", &Self::return_attention_scores)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(GroupQueryAttention);

}  // namespace systolic::inline v0
