#include "systolic/transformers/layers/relative_buckets.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// In f32, as PyTorch computes it: a logarithm that is nearly whole decides the bucket.
int64_t bucket_of(int64_t distance, int64_t count, int64_t max_distance) {
  const int64_t exact = count / 2;
  if (distance < exact) return distance;
  const auto scale =
      static_cast<float>(std::log(static_cast<double>(max_distance) / static_cast<double>(exact)));
  const float ratio = static_cast<float>(distance) / static_cast<float>(exact);
  const float steps = std::log(ratio) / scale * static_cast<float>(count - exact);
  return std::min(exact + static_cast<int64_t>(steps), count - 1);
}

}  // namespace

std::vector<int32_t> bucket_of_distances(const RelativeBuckets& buckets) {
  const int64_t count = buckets.both_directions ? buckets.count / 2 : buckets.count;
  std::vector<int32_t> result;
  for (int64_t i = -buckets.max_distance; i <= buckets.max_distance; ++i) {
    const int64_t offset = buckets.both_directions && i > 0 ? count : 0;
    const int64_t distance = buckets.both_directions ? std::abs(i) : std::max<int64_t>(-i, 0);
    result.push_back(
        static_cast<int32_t>(offset + bucket_of(distance, count, buckets.max_distance)));
  }
  return result;
}

Tensor bias_of_distances(const Tensor& by_distance, const Tensor& slots, int64_t keys) {
  const int64_t most = by_distance.shape()[0] / 2;
  const Tensor apart = iota({1, keys}, 1) - expand_dims(slots, 1);
  const Tensor by_key = gather(by_distance, clip(apart, -most, most) + most);
  return expand_dims(transpose(by_key, {2, 0, 1}), 0);
}

}  // namespace systolic::inline v0
