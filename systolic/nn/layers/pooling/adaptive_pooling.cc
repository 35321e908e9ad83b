#include "systolic/nn/layers/pooling/adaptive_pooling.h"

#include <algorithm>

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/along_axis.h"
#include "systolic/nn/layers/window.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

struct Part {
  int64_t begin, end;
};

std::vector<Part> parts_of(int64_t size, int64_t count) {
  std::vector<Part> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back({i * size / count, ((i + 1) * size + count - 1) / count});
  return parts;
}

// [count, widest]: the positions of each part's elements, the last one again where a part is
// shorter than others.
Literal positions_of(const std::vector<Part>& parts) {
  int64_t widest = 1;
  for (const Part& part : parts) widest = std::max(widest, part.end - part.begin);
  Literal positions(DType::i32, {static_cast<int64_t>(parts.size()), widest});
  int32_t* to = positions.mutable_data<int32_t>().data();
  for (const Part& part : parts) {
    for (int64_t i = 0; i < widest; ++i)
      *to++ = static_cast<int32_t>(std::min(part.begin + i, part.end - 1));
  }
  return positions;
}

Tensor largest_of_parts(const Tensor& x, int axis, const std::vector<Part>& parts) {
  return max(gather(x, Tensor(positions_of(parts)), axis), {.axis = axis + 1});
}

// [count, size], 1 / width where an element lies in a part.
Tensor mean_of_parts(const Tensor& x, int axis, const std::vector<Part>& parts) {
  const int64_t size = x.shape()[axis];
  Literal shares(DType::f32, {static_cast<int64_t>(parts.size()), size});
  float* row = shares.mutable_data<float>().data();
  std::fill(row, row + shares.size(), 0.0f);
  for (const Part& part : parts) {
    std::fill(row + part.begin, row + part.end, 1.0f / static_cast<float>(part.end - part.begin));
    row += size;
  }
  return multiply_along_axis(shares, x, axis);
}

}  // namespace

// The parts are boxes: what holds of a box is found axis by axis.
template <Pool pool, int rank>
Tensor AdaptivePooling<pool, rank>::call(const Tensor& x, CallContext&) const {
  check_rank(x, rank + 2, spatial_axes(rank));
  const std::vector<int64_t> counts = spatial_sizes(output_size);
  Tensor y = x;
  for (int axis = 1; axis <= rank; ++axis) {
    const int64_t count = counts[static_cast<size_t>(axis) - 1];
    check_positive("output_size", count);
    const std::vector<Part> parts = parts_of(x.shape()[axis], count);
    y = pool == Pool::max ? largest_of_parts(y, axis, parts) : mean_of_parts(y, axis, parts);
  }
  return y;
}

SYSTOLIC_DEFINE_LAYER(AdaptiveMaxPooling1D)
SYSTOLIC_DEFINE_LAYER(AdaptiveMaxPooling2D)
SYSTOLIC_DEFINE_LAYER(AdaptiveMaxPooling3D)
SYSTOLIC_DEFINE_LAYER(AdaptiveAveragePooling1D)
SYSTOLIC_DEFINE_LAYER(AdaptiveAveragePooling2D)
SYSTOLIC_DEFINE_LAYER(AdaptiveAveragePooling3D)

}  // namespace systolic::inline v0
