#include "systolic/transformers/swin/windows.h"

#include "systolic/core/literal.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// x with what lies before `at` along an axis put to its end.
Tensor rotated_along(const Tensor& x, int axis, int64_t at) {
  const Shape& shape = x.shape();
  const int64_t length = shape[axis];
  at = (at % length + length) % length;
  if (at == 0) return x;
  const auto piece = [&](int64_t from, int64_t to) {
    Shape begin = shape, size = shape;
    for (int i = 0; i < shape.rank(); ++i) begin.set(i, 0);
    begin.set(axis, from);
    size.set(axis, to - from);
    return slice(x, begin, size);
  };
  return concat({piece(at, length), piece(0, at)}, axis);
}

// Three parts of an axis of a rolled map: what stayed, the last window's part that did, and what
// came from the other edge.
int64_t region_of(int64_t place, int64_t length, int64_t size, int64_t shift) {
  return (place >= length - size ? 1 : 0) + (place >= length - shift ? 1 : 0);
}

}  // namespace

Tensor cut_into_windows(const Tensor& x, int64_t size) {
  const Shape& shape = x.shape();
  const int64_t rows = shape[1] / size, columns = shape[2] / size, channels = shape[3];
  const Tensor parts =
      transpose(reshape(x, {shape[0], rows, size, columns, size, channels}), {0, 1, 3, 2, 4, 5});
  return reshape(parts, {shape[0] * rows * columns, size * size, channels});
}

Tensor joined_windows(const Tensor& windows, int64_t size, Size2 map) {
  const int64_t rows = map.height / size, columns = map.width / size;
  const int64_t batch = windows.shape()[0] / (rows * columns), channels = windows.shape()[2];
  const Tensor parts =
      transpose(reshape(windows, {batch, rows, columns, size, size, channels}), {0, 1, 3, 2, 4, 5});
  return reshape(parts, {batch, map.height, map.width, channels});
}

Tensor rolled(const Tensor& x, int64_t places) {
  return rotated_along(rotated_along(x, 1, places), 2, places);
}

Tensor seen_in_windows(Size2 map, int64_t size, int64_t shift) {
  std::vector<int32_t> regions;
  for (int64_t row = 0; row < map.height; ++row) {
    for (int64_t column = 0; column < map.width; ++column) {
      regions.push_back(static_cast<int32_t>(3 * region_of(row, map.height, size, shift) +
                                             region_of(column, map.width, size, shift)));
    }
  }
  const Tensor windows = reshape(
      cut_into_windows(constant(Literal::from(regions, {1, map.height, map.width, 1})), size),
      {map.height * map.width / (size * size), size * size});
  return expand_dims(windows, 1) == expand_dims(windows, 2);
}

std::vector<int32_t> relative_places(Size2 window) {
  const int64_t places = window.height * window.width;
  std::vector<int32_t> result;
  for (int64_t a = 0; a < places; ++a) {
    for (int64_t b = 0; b < places; ++b) {
      const int64_t down = a / window.width - b / window.width + window.height - 1;
      const int64_t right = a % window.width - b % window.width + window.width - 1;
      result.push_back(static_cast<int32_t>(down * (2 * window.width - 1) + right));
    }
  }
  return result;
}

}  // namespace systolic::inline v0
