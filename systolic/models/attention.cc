#include "systolic/models/attention.h"

#include <cmath>
#include <limits>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options) {
  const double size = static_cast<double>(query.shape()[-1]);
  const double scale = options.scale.value_or(1 / std::sqrt(size));
  Tensor scores = cast(einsum("bqhd,bkhd->bhqk", query, key), DType::f32) * scale;
  if (options.bias) scores = scores + cast(*options.bias, DType::f32);
  // Finite, so that a row without any key is not NaN.
  constexpr double lowest = std::numeric_limits<float>::lowest();
  if (options.mask) scores = where(*options.mask, scores, lowest);
  Tensor weights = cast(softmax(scores), value.dtype());
  if (options.dropout) weights = options.dropout(weights);
  return einsum("bhqk,bkhd->bqhd", weights, value);
}

Tensor split_heads(const Tensor& x, int64_t heads) {
  const Shape& shape = x.shape();
  return reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
}

Tensor merge_heads(const Tensor& x) {
  const Shape& shape = x.shape();
  return reshape(x, {shape[0], shape[1], shape[2] * shape[3]});
}

}  // namespace systolic::inline v0
