// Scaled dot-product attention over several heads (Vaswani et al. 2017).
//
//   softmax(query · keyᵀ · scale, masked) · value
//
//   query [batch, queries, heads, size], key and value [batch, keys, heads, size]
//   -> [batch, queries, heads, size]
#pragma once

#include <functional>
#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct AttentionOptions {
  // pred, broadcast to [batch, heads, queries, keys]: false where a query must not see a key. A
  // query that sees none takes the mean of all values.
  std::optional<Tensor> mask = {};
  // Added to the scores; broadcast likewise.
  std::optional<Tensor> bias = {};
  std::optional<double> scale = {};  // 1 / sqrt(size)
  // Of the probabilities, such as a Dropout.
  std::function<Tensor(const Tensor&)> dropout = {};
};

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options = {});

// [batch, tokens, heads * size] -> [batch, tokens, heads, size], and back.
Tensor split_heads(const Tensor& x, int64_t heads);
Tensor merge_heads(const Tensor& x);

}  // namespace systolic::inline v0
