#include "systolic/nn/layers/normalization/batch_moments.h"

#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Moments batch_moments(const Tensor& x, int axis, const std::optional<Tensor>& mask,
                      bool synchronized) {
  std::vector<int> axes;
  Shape aligned = x.shape();
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) axes.push_back(i);
    if (i != axis) aligned.set(i, 1);
  }
  const auto over_cores = [&](const Tensor& part) {
    return synchronized ? all_reduce_sum(part) : part;
  };
  const bool shared = synchronized && replica_context().per_core;
  const int64_t cores = shared ? replica_context().replicas : 1;
  Tensor count = cast(constant(static_cast<float>(x.size() / x.shape()[axis] * cores)), x.dtype());
  std::optional<Tensor> weight;
  if (mask) {
    weight = with_axes(cast(*mask, x.dtype()), x.rank());
    const int64_t each = x.size() / x.shape()[axis] / mask->size();
    count = over_cores(sum(*weight)) * static_cast<double>(each);
  }
  const Tensor divisor = weight ? maximum(count, 1.0) : count;
  const auto average = [&](const Tensor& values) {
    const Tensor counted = weight ? where(*weight > 0, values, 0.0) : values;
    return over_cores(sum(counted, {.axis = axes})) / divisor;
  };
  // Two passes: E[x^2] - E[x]^2 loses all digits when the mean is large.
  const Tensor mean = average(x);
  const Tensor variance = average(square(x - reshape(mean, aligned)));
  return {mean, variance, weight ? std::optional(count) : std::nullopt};
}

}  // namespace systolic::inline v0
