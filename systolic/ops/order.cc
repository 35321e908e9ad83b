#include "systolic/ops/order.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/sort_with_positions.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

void check_integers(std::string_view op, const Tensor& x, At at) {
  if (is_integer(x.dtype())) return;
  raise<InvalidArgument>({.what = str(op, " of positions of ", to_string(x.dtype())),
                          .wanted = "integers",
                          .location = at});
}

// [values..., sorted]: whether each of the sorted lies before the value.
Tensor is_before(const Tensor& sorted, const Tensor& values, bool or_equal, At at) {
  const Tensor value = v0::expand_dims(values, -1, at);
  return or_equal ? sorted <= value : sorted < value;
}

Tensor count_along_last(const Tensor& predicate, At at) {
  return v0::sum(v0::cast({predicate, at}, DType::i32), {.axis = -1}, at);
}

// The positions as one number each, -1 for one that lies outside.
Tensor flat_positions(std::string_view op, const Tensor& indices, const Shape& shape, At at) {
  check_integers(op, indices, at);
  const int axes = indices.rank() == 2 ? static_cast<int>(indices.shape()[1]) : -1;
  if (axes < 1 || axes > shape.rank()) {
    raise<InvalidArgument>({.what = str(op, " at positions of shape ", indices.shape()),
                            .wanted = str("[count, axes] with up to ", shape.rank(), " axes"),
                            .location = at});
  }
  Tensor flat = v0::zeros({indices.shape()[0]}, indices.dtype());
  Tensor inside = v0::ones({indices.shape()[0]}, DType::pred);
  for (int axis = 0; axis < axes; ++axis) {
    const Tensor place = indices[{all, axis}];
    inside = v0::logical_and(inside, v0::logical_and(place >= 0, place < shape[axis]));
    flat = flat * shape[axis] + place;
  }
  return v0::where(inside, flat, -1);
}

// [positions..., the axes that are not indexed...], the first as one.
Shape rows_of(const Shape& shape, int64_t axes) {
  std::vector<int64_t> sizes{1};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis < axes) {
      sizes[0] *= shape[axis];
    } else {
      sizes.push_back(shape[axis]);
    }
  }
  return Shape(sizes);
}

// A row more, at the end, takes what lies outside and is cut off again.
Tensor with_row_for_others(const Tensor& x, At at) {
  std::vector<std::pair<int64_t, int64_t>> one(static_cast<size_t>(x.rank()), {0, 0});
  one[0].second = 1;
  return v0::pad(x, one, 0, at);
}
Tensor without_last_row(const Tensor& x, At at) {
  Shape begin(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0)), size = x.shape();
  size.set(0, size[0] - 1);
  return v0::slice(x, begin, size, at);
}

// [num_segments, rows, ...]: the data where they belong to the segment, `neutral` elsewhere.
Tensor by_segment(const Tensor& data, const Tensor& segment_ids, int64_t count, ir::OpCode fold,
                  At at) {
  check_integers("a segment's fold", segment_ids, at);
  if (data.rank() == 0 || segment_ids.rank() != 1 || segment_ids.shape()[0] != data.shape()[0] ||
      count < 1) {
    raise<InvalidArgument>(
        {.what = str("a segment's fold of data of shape ", data.shape(), " with ids of shape ",
                     segment_ids.shape(), " for ", count, " segments"),
         .wanted = "an id for each row, and 1 segment or more",
         .location = at});
  }
  std::vector<int64_t> sizes(static_cast<size_t>(data.rank()) + 1, 1);
  sizes[0] = count;
  sizes[1] = data.shape()[0];
  const Tensor belongs =
      v0::reshape(v0::expand_dims(v0::range(count, segment_ids.dtype()), 1, at) == segment_ids,
                  Shape(sizes), at);
  const Tensor neutral(ir::fold_identity(fold, data.dtype()));
  return v0::where(belongs, v0::expand_dims(data, 0, at), neutral);
}

}  // namespace

Tensor argsort(const Tensor& x, int axis, At at) {
  return v0::sort_with_positions(x, positive_axis(axis, x.rank(), at), false, at).positions;
}
Tensor argpartition(const Tensor& x, int64_t kth, int axis, At at) {
  const int64_t size = x.shape()[static_cast<int>(positive_axis(axis, x.rank(), at))];
  if (kth < -size || kth >= size) {
    raise<InvalidArgument>({.what = str("argpartition at ", kth),
                            .wanted = str("a place among ", size, " elements"),
                            .location = at});
  }
  return argsort(x, axis, at);
}

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right, At at) {
  if (sorted.rank() != 1) {
    raise<InvalidArgument>({.what = str("searchsorted in shape ", sorted.shape()),
                            .wanted = "a vector",
                            .location = at});
  }
  return count_along_last(is_before(sorted, values, right, at), at);
}
Tensor digitize(const Tensor& x, const std::vector<double>& bins, At at) {
  const Tensor floats = is_float(x.dtype()) ? x : v0::cast({x, at}, DType::f32);
  const Literal edges =
      Literal::from(std::span<const double>(bins), {static_cast<int64_t>(bins.size())});
  return searchsorted(Tensor(edges.convert(floats.dtype())), floats, true, at);
}

Tensor bincount(const Tensor& x, int64_t length, const std::optional<Tensor>& weights, At at) {
  check_integers("bincount", x, at);
  if (x.rank() != 1 || length < 1) {
    raise<InvalidArgument>({.what = str("bincount of shape ", x.shape(), " up to ", length),
                            .wanted = "a vector, and a length of 1 or more",
                            .location = at});
  }
  const Tensor ones = weights ? *weights : v0::ones(x.shape(), DType::i32, at);
  return segment_sum(ones, x, length, at);
}

Histogram histogram(const Tensor& x, int64_t bins, std::optional<std::pair<double, double>> range,
                    At at) {
  if (bins < 1 || x.size() == 0) {
    raise<InvalidArgument>({.what = str("histogram of shape ", x.shape(), " in ", bins, " bins"),
                            .wanted = "elements, and 1 bin or more",
                            .location = at});
  }
  const Tensor floats =
      v0::reshape(is_float(x.dtype()) ? x : v0::cast({x, at}, DType::f32), {-1}, at);
  const DType dtype = floats.dtype();
  Tensor low = range ? v0::fill({}, range->first, dtype) : v0::min(floats, {}, at);
  Tensor high = range ? v0::fill({}, range->second, dtype) : v0::max(floats, {}, at);
  const Tensor same = low == high;  // NumPy: half a unit to each side
  low = v0::where(same, low - 0.5, low);
  high = v0::where(same, high + 0.5, high);
  const Tensor steps = v0::range(bins + 1, dtype) / static_cast<double>(bins);
  const Tensor edges = low + (high - low) * steps;
  // The last bin has both its edges.
  const Tensor after = searchsorted(edges, floats, true, at) - 1;
  const Tensor places = v0::where(floats == high, bins - 1, after);
  return {bincount(places, bins, {}, at), edges};
}

Tensor isin(const Tensor& x, const Tensor& others, At at) {
  return v0::any(v0::expand_dims(x, -1, at) == v0::reshape(others, {-1}, at), {.axis = -1}, at);
}
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k, At at) {
  check_integers("in_top_k", targets, at);
  const Tensor own = v0::take_along_axis(predictions, v0::expand_dims(targets, -1, at), -1, at);
  const Tensor better = count_along_last(predictions > own, at);
  return v0::logical_and(better < k, v0::is_finite(v0::squeeze(own, {-1}, at)));
}

Tensor segment_sum(const Tensor& data, const Tensor& segment_ids, int64_t num_segments, At at) {
  return v0::sum(by_segment(data, segment_ids, num_segments, ir::OpCode::add, at), {.axis = 1}, at);
}
Tensor segment_max(const Tensor& data, const Tensor& segment_ids, int64_t num_segments, At at) {
  return v0::max(by_segment(data, segment_ids, num_segments, ir::OpCode::maximum, at), {.axis = 1},
                 at);
}
Tensor segment_min(const Tensor& data, const Tensor& segment_ids, int64_t num_segments, At at) {
  return v0::min(by_segment(data, segment_ids, num_segments, ir::OpCode::minimum, at), {.axis = 1},
                 at);
}
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids, int64_t num_segments, At at) {
  return v0::prod(by_segment(data, segment_ids, num_segments, ir::OpCode::multiply, at),
                  {.axis = 1}, at);
}

Tensor scatter(const Tensor& indices, const Tensor& values, const Shape& shape, At at) {
  const Tensor flat = flat_positions("scatter", indices, shape, at);
  const Shape rows = rows_of(shape, indices.shape()[1]);
  const Tensor base = with_row_for_others(v0::zeros(rows, values.dtype()), at);
  const Tensor added = v0::scatter_add(base, v0::where(flat < 0, rows[0], flat), values, at);
  return v0::reshape(without_last_row(added, at), shape, at);
}
Tensor scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates, At at) {
  const Tensor flat = flat_positions("scatter_update", indices, x.shape(), at);
  const Shape rows = rows_of(x.shape(), indices.shape()[1]);
  const Tensor base = with_row_for_others(v0::reshape(x, rows, at), at);
  const Tensor set = v0::scatter_update(base, v0::where(flat < 0, rows[0], flat), updates, at);
  return v0::reshape(without_last_row(set, at), x.shape(), at);
}

}  // namespace ops
}  // namespace systolic::inline v0
