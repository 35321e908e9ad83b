// Attention of queries to keys, the one formula of all layers that attend (Vaswani et al. 2017,
// arXiv 1706.03762, equation 1; keras.ops.dot_product_attention).
//
//   softmax(scale * query · key' + bias, over source) · value
#pragma once

#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct AttentionOptions {
  // pred: true where a query may attend to a key. [batch, target, source] for all heads, [batch,
  // heads, target, source], or [batch, source] where it hides padding; sizes of 1 broadcast. A row
  // that may attend to nothing attends to all equally.
  std::optional<Tensor> mask = {};
  // Added to the scores: [batch, heads, target, source], or a shape that broadcasts to it.
  std::optional<Tensor> bias = {};
  // A query attends to no key after its own position.
  bool causal = false;
  // Scores become logit_cap * tanh(score / logit_cap), before the bias and the mask (Gemma 2).
  std::optional<double> logit_cap = {};
  // A row that may attend to nothing does so, and its result is 0.
  bool nothing_for_none = false;
  // Dropout of the probabilities, drawn from the key (trace/ops/random.h); without a key the global
  // generator gives one.
  double dropout_rate = 0;
  std::optional<Tensor> dropout_key = {};  // u64[2]
  std::optional<double> scale = {};        // 1 / sqrt(size) without
  // Where to store the probabilities [batch, heads, target, source], before dropout; nowhere by
  // default.
  Tensor* weights = nullptr;
};

// query [batch, target, heads, size], key [batch, source, heads, size], value [batch, source,
// heads, value size] -> [batch, target, heads, value size]. All are of one floating type; scores
// and their softmax are f32 where it is bf16 or f16. Shapes that do not fit are an InvalidArgument.
//
//   Tensor y = scaled_dot_product_attention(q, k, v, {.mask = mask});
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    AttentionOptions options = {},
                                    SourceLocation at = SourceLocation::current());

}  // namespace systolic::inline v0
