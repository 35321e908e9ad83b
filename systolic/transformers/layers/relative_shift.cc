#include "systolic/transformers/layers/relative_shift.h"

#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor scores_by_key(const Tensor& scores, int64_t keys) {
  const Shape& shape = scores.shape();
  const int64_t batch = shape[0], heads = shape[1], tokens = shape[2], distances = shape[3];
  const Tensor flat = reshape(scores, {batch, heads, distances, tokens});
  const Tensor later = slice(flat, {0, 0, 1, 0}, {batch, heads, distances - 1, tokens});
  const Tensor shifted = reshape(later, {batch, heads, tokens, distances - 1});
  return slice(shifted, {0, 0, 0, 0}, {batch, heads, tokens, keys});
}

}  // namespace systolic::inline v0
