#include "systolic/transformers/layers/disentangled_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/relative_shift.h"

namespace systolic::inline v0 {
namespace {

// Products of each token with each distance, ordered by the other token: [batch, heads, tokens,
// tokens].
Tensor products(const Tensor& x, const Tensor& rows, int64_t heads) {
  const Shape& shape = x.shape();
  const int64_t tokens = shape[1], size = shape[2] / heads;
  const Tensor contents = reshape(x, {shape[0], tokens, heads, size});
  const Tensor distances = reshape(rows, {rows.shape()[1], heads, size});
  return scores_by_key(einsum("bind,jnd->bnij", contents, distances), tokens);
}

// In f32, as PyTorch computes it: a logarithm that is nearly whole decides the bucket.
int64_t far_bucket(int64_t distance, int64_t middle, int64_t max_distance) {
  const auto part = [&](int64_t x) {
    return std::log(static_cast<float>(static_cast<double>(x) / static_cast<double>(middle)));
  };
  const float steps = part(distance) / part(max_distance - 1) * static_cast<float>(middle - 1);
  return static_cast<int64_t>(std::ceil(steps)) + middle;
}

}  // namespace

double DisentangledAttention::scale(int64_t head_size) const {
  const int64_t count = 1 + (content_to_position ? 1 : 0) + (position_to_content ? 1 : 0);
  return 1 / std::sqrt(static_cast<double>(head_size * count));
}

void DisentangledScores::add_content_to_position(const Tensor& query, const Tensor& rows) {
  sum = sum + products(query, rows, heads);
}

void DisentangledScores::add_position_to_content(const Tensor& key, const Tensor& rows) {
  sum = sum + transpose(products(key, rows, heads), {0, 1, 3, 2});
}

int64_t DistanceTable::row(int64_t distance) const {
  const int64_t middle = count / 2, size = std::abs(distance);
  int64_t bucket = size;
  if (max_distance > 0 && size > middle) bucket = far_bucket(size, middle, max_distance);
  return std::clamp<int64_t>(distance < 0 ? count - bucket : count + bucket, 0, 2 * count - 1);
}

std::vector<int32_t> distance_rows(const DistanceTable& table, int64_t tokens, bool from_keys) {
  std::vector<int32_t> result;
  for (int64_t distance = tokens; distance > -tokens; --distance)
    result.push_back(static_cast<int32_t>(table.row(from_keys ? -distance : distance)));
  return result;
}

}  // namespace systolic::inline v0
