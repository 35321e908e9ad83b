#include "systolic/trace/ops/shape_ops.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

ir::Value value_at(const Tensor& x, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  return trace.value_of(x, at);
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape, At at) {
  int64_t known = 1;
  int unknown = -1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != -1) {
      known *= shape[axis];
      continue;
    }
    if (unknown >= 0) {
      raise<InvalidArgument>(
          {.what = str("reshape to ", shape), .wanted = "at most one -1", .location = at});
    }
    unknown = axis;
  }
  Shape wanted = shape;
  if (unknown >= 0 && known > 0 && x.size() % known == 0) wanted.set(unknown, x.size() / known);
  if ((unknown >= 0 && (known == 0 || x.size() % known != 0)) || wanted.elements() != x.size()) {
    raise<InvalidArgument>(
        {.what = str("reshape of ", x.shape(), " (", x.size(), " elements) to ", shape),
         .wanted = "a shape of as many elements",
         .location = at});
  }
  return wrap(ir::reshape(value_at(x, at), wanted));
}

Tensor transpose(const Tensor& x, std::vector<int> permutation, At at) {
  std::vector<int64_t> axes;
  if (permutation.empty()) {
    for (int axis = x.rank() - 1; axis >= 0; --axis) axes.push_back(axis);
  }
  for (int axis : permutation) axes.push_back(positive_axis(axis, x.rank(), at));
  return wrap(ir::transpose(value_at(x, at), axes));
}

Tensor expand_dims(const Tensor& x, int axis, At at) {
  const auto positive = static_cast<int>(positive_axis(axis, x.rank() + 1, at));
  return wrap(ir::reshape(value_at(x, at), x.shape().with_inserted(positive, 1)));
}

Tensor squeeze(const Tensor& x, Axes axes, At at) {
  const bool is_each = axes.values.empty();
  std::vector<bool> drop(static_cast<size_t>(x.rank()), is_each);
  for (int axis : axes.values) drop[static_cast<size_t>(positive_axis(axis, x.rank(), at))] = true;
  std::vector<int64_t> dims;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const int64_t size = x.shape()[axis];
    if (drop[static_cast<size_t>(axis)] && size == 1) continue;
    if (drop[static_cast<size_t>(axis)] && !is_each) {
      raise<InvalidArgument>({.what = str("squeeze of axis ", axis, " of shape ", x.shape()),
                              .wanted = "an axis of size 1",
                              .location = at});
    }
    dims.push_back(size);
  }
  return wrap(ir::reshape(value_at(x, at), Shape(dims)));
}

Tensor broadcast_to(const Tensor& x, const Shape& shape, At at) {
  if (!(broadcast_shape(x.shape(), shape, at) == shape)) {
    raise<InvalidArgument>({.what = str("broadcast of shape ", x.shape(), " to ", shape),
                            .wanted = "sizes that are equal or 1, aligned at the last axis",
                            .location = at});
  }
  return wrap(ir::broadcast_to(value_at(x, at), shape));
}

Tensor concat(const std::vector<Tensor>& parts, int axis, At at) {
  if (parts.empty()) raise<InvalidArgument>({.what = "concat of no Tensors", .location = at});
  std::vector<ir::Value> values;
  for (const Tensor& part : parts) values.push_back(value_at(part, at));
  return wrap(ir::concatenate(values, positive_axis(axis, parts.front().rank(), at)));
}

Tensor concatenate(const std::vector<Tensor>& parts, int axis, At at) {
  return concat(parts, axis, at);
}

Tensor stack(const std::vector<Tensor>& parts, int axis, At at) {
  std::vector<Tensor> expanded;
  for (const Tensor& part : parts) expanded.push_back(expand_dims(part, axis, at));
  return concat(expanded, axis, at);
}

std::vector<Tensor> split(const Tensor& x, int count, int axis, At at) {
  const auto positive = static_cast<int>(positive_axis(axis, x.rank(), at));
  const int64_t size = x.shape()[positive];
  if (count < 1 || size % count != 0) {
    raise<InvalidArgument>(
        {.what = str("split of axis ", axis, " of shape ", x.shape(), " into ", count),
         .wanted = "a number that divides it",
         .location = at});
  }
  std::vector<Tensor> parts;
  Shape begin(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0));
  Shape sizes = x.shape();
  sizes.set(positive, size / count);
  for (int part = 0; part < count; ++part) {
    begin.set(positive, part * (size / count));
    parts.push_back(slice(x, begin, sizes, at));
  }
  return parts;
}

Tensor slice(const Tensor& x, const Shape& begin, const Shape& size, At at) {
  if (begin.rank() != x.rank() || size.rank() != x.rank()) {
    raise<InvalidArgument>(
        {.what = str("slice of shape ", x.shape(), " with begin ", begin, " and size ", size),
         .wanted = str(x.rank(), " numbers in each"),
         .location = at});
  }
  std::vector<int64_t> limit;
  for (int axis = 0; axis < x.rank(); ++axis) {
    limit.push_back(size[axis] == -1 ? x.shape()[axis] : begin[axis] + size[axis]);
  }
  return wrap(ir::slice(value_at(x, at), begin.to_vector(), limit));
}

Tensor tile(const Tensor& x, const std::vector<int64_t>& multiples, At at) {
  if (static_cast<int>(multiples.size()) != x.rank()) {
    raise<InvalidArgument>(
        {.what = str("tile of shape ", x.shape(), " with ", multiples.size(), " multiples"),
         .wanted = "one an axis",
         .location = at});
  }
  // (a, b) -> (m, a, n, b) by broadcast -> (m * a, n * b).
  std::vector<int64_t> repeated, result, places;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const int64_t times = multiples[static_cast<size_t>(axis)];
    repeated.insert(repeated.end(), {times, x.shape()[axis]});
    places.push_back(2 * axis + 1);
    result.push_back(times * x.shape()[axis]);
  }
  return wrap(
      ir::reshape(ir::broadcast_in_dim(value_at(x, at), Shape(repeated), places), Shape(result)));
}

Tensor pad(const Tensor& x, const std::vector<std::pair<int64_t, int64_t>>& paddings, double value,
           At at) {
  if (static_cast<int>(paddings.size()) != x.rank()) {
    raise<InvalidArgument>(
        {.what = str("pad of shape ", x.shape(), " with ", paddings.size(), " pairs"),
         .wanted = "one (before, after) an axis",
         .location = at});
  }
  std::vector<int64_t> low, high;
  for (const auto& [before, after] : paddings) {
    low.push_back(before);
    high.push_back(after);
  }
  const ir::Value input = value_at(x, at);
  const ir::Value filler =
      Trace::current().builder().constant(Literal::filled(x.dtype(), {}, value));
  return wrap(ir::pad(input, filler, low, high));
}

Tensor flip(const Tensor& x, std::vector<int> axes, At at) {
  return wrap(ir::reverse(value_at(x, at), positive_axes(axes, x.rank(), at)));
}

Tensor gather(const Tensor& x, const Tensor& indices, int axis, At at) {
  const int64_t along = positive_axis(axis, x.rank(), at);
  ir::GatherAttributes attributes;
  // Result axes: those of x before `axis`, those of the indices, those of x after it.
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i == along) continue;
    attributes.offset_dims.push_back(i < along ? i : i - 1 + indices.rank());
  }
  attributes.collapsed_slice_dims = {along};
  attributes.start_index_map = {along};
  attributes.index_vector_dim = indices.rank();
  attributes.slice_sizes = x.shape().to_vector();
  attributes.slice_sizes[static_cast<size_t>(along)] = 1;
  return wrap(ir::gather(value_at(x, at), value_at(indices, at), std::move(attributes)));
}

namespace {

Tensor scatter_rows(const Tensor& x, const Tensor& indices, const Tensor& updates,
                    std::optional<ir::OpCode> code, At at) {
  ir::ScatterAttributes attributes;
  for (int i = indices.rank(); i < updates.rank(); ++i) attributes.update_window_dims.push_back(i);
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = indices.rank();
  return wrap(ir::scatter(value_at(x, at), value_at(indices, at), value_at(updates, at),
                          std::move(attributes), code));
}

}  // namespace

Tensor scatter_add(const Tensor& x, const Tensor& indices, const Tensor& updates, At at) {
  return scatter_rows(x, indices, updates, ir::OpCode::add, at);
}
Tensor scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates, At at) {
  return scatter_rows(x, indices, updates, std::nullopt, at);
}

Tensor one_hot(const Tensor& given, int64_t depth, DType dtype, At at) {
  if (!is_integer(given.dtype()) && !is_float(given.dtype())) {
    raise<InvalidArgument>({.what = str("one_hot of ", to_string(given.dtype())),
                            .wanted = "integers, or floats, which are cut to integers",
                            .location = at});
  }
  const Tensor indices = is_float(given.dtype()) ? cast({given, at}, DType::i32) : given;
  const Shape shape = indices.shape().with_inserted(indices.rank(), depth);
  const Tensor classes = iota(shape, -1, indices.dtype(), at);
  return cast({Operand(expand_dims(indices, -1, at), at) == classes, at}, dtype);
}

namespace {

void check_positions(const Tensor& x, const Tensor& indices, int64_t axis, At at) {
  bool fits = is_integer(indices.dtype()) && indices.rank() == x.rank();
  for (int i = 0; fits && i < x.rank(); ++i) fits = i == axis || indices.shape()[i] == x.shape()[i];
  if (fits) return;
  raise<InvalidArgument>(
      {.what = str("take_along_axis of shape ", x.shape(), " along axis ", axis, " at ",
                   to_string(indices.dtype()), " indices of shape ", indices.shape()),
       .wanted = "integers of the same shape but for that axis",
       .hint = is_integer(indices.dtype())
                   ? "add the axis to one index a row: expand_dims(indices, -1)"
                   : "write cast(indices, DType::i32)",
       .location = at});
}

// x [rows, n], indices [rows, k] -> [rows, k].
Tensor take_in_rows(const Tensor& x, const Tensor& indices, At at) {
  const int64_t rows = x.shape()[0], n = x.shape()[1];
  const Tensor first = iota(indices.shape(), 0, indices.dtype(), at) * n;
  const Tensor taken = gather(reshape(x, {rows * n}, at), clip(indices, 0, n - 1) + first, 0, at);
  const Tensor inside = logical_and(indices >= 0, indices < n);
  return where(inside, taken, fill({}, 0, x.dtype(), at));
}

}  // namespace

Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis, At at) {
  const auto along = static_cast<int>(positive_axis(axis, x.rank(), at));
  check_positions(x, indices, along, at);
  if (indices.shape()[along] == 1) {  // a choice, which fuses, costs less than a gather
    const Tensor chosen = iota(x.shape(), along, indices.dtype(), at) == Operand(indices, at);
    const Tensor nothing = fill({}, 0, x.dtype(), at);
    return sum(where({chosen, at}, x, nothing), {.axis = along, .keepdims = true}, at);
  }
  std::vector<int> to_end;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != along) to_end.push_back(i);
  }
  to_end.push_back(along);
  std::vector<int> back(to_end.size());
  for (size_t i = 0; i < to_end.size(); ++i)
    back[static_cast<size_t>(to_end[i])] = static_cast<int>(i);
  const int64_t n = x.shape()[along], k = indices.shape()[along];
  const Tensor rows = reshape(transpose(x, to_end, at), {-1, n}, at);
  const Tensor places = transpose(indices, to_end, at);
  return transpose(
      reshape(take_in_rows(rows, reshape(places, {-1, k}, at), at), places.shape(), at), back, at);
}

}  // namespace systolic::inline v0
