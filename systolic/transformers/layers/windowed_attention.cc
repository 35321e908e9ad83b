#include "systolic/transformers/layers/windowed_attention.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

Tensor windowed_attention(const AttendedVectors& near, const AttendedVectors& far,
                          const Tensor& shown, const Tensor& global,
                          const WindowedAttention& options, CallContext& context) {
  const int64_t batch = near.query.shape()[0], tokens = near.query.shape()[1];
  const Shape square{1, 1, tokens, tokens};
  const Tensor is_near = abs(iota(square, 3) - iota(square, 2)) <= options.reach;
  const Tensor of_all = reshape(global, {batch, 1, 1, tokens});
  const Tensor seen = logical_and(shown, logical_or(is_near, of_all));
  const auto mixed = [&](const AttendedVectors& vectors, const Tensor& mask) {
    return attention(vectors.query, vectors.key, vectors.value, options.heads, options.dropout,
                     {.mask = mask}, context);
  };
  const Tensor local = where(reshape(shown, {shown.shape()[0], tokens, 1}), mixed(near, seen), 0.0);
  return where(expand_dims(global, 2), mixed(far, shown), local);
}

}  // namespace systolic::inline v0
