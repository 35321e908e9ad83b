#include "systolic/transformers/layers/rotation.h"

#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Rotation rotation_of(const Tensor& positions, const RopeFrequencies& frequencies) {
  const auto count = static_cast<int64_t>(frequencies.frequencies.size());
  const std::vector<float> values(frequencies.frequencies.begin(), frequencies.frequencies.end());
  const Tensor turns = Tensor(Literal::from(values, {1, 1, 1, count}));
  const Tensor places = cast(expand_dims(expand_dims(positions, 2), 3), DType::f32);
  const Tensor angles = places * turns;
  return {.cosine = cos(angles) * frequencies.factor, .sine = sin(angles) * frequencies.factor};
}

Tensor rotated(const Tensor& x, const Rotation& rotation) {
  const int64_t half = rotation.cosine.shape()[3], size = x.shape()[3];
  if (half == 0) return x;
  const Tensor cosine = cast(rotation.cosine, x.dtype()), sine = cast(rotation.sine, x.dtype());
  const auto part = [&](int64_t begin, int64_t count) {
    return slice(x, {0, 0, 0, begin}, {-1, -1, -1, count});
  };
  const Tensor a = part(0, half), b = part(half, half);
  std::vector<Tensor> parts{a * cosine - b * sine, b * cosine + a * sine};
  if (size > 2 * half) parts.push_back(part(2 * half, size - 2 * half));
  return concat(parts, 3);
}

}  // namespace systolic::inline v0
