#include "systolic/ops/shapes.h"

#include <algorithm>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

int axis_of(const Tensor& x, int axis, At at) {
  return static_cast<int>(positive_axis(axis, x.rank(), at));
}

[[noreturn]] void raise_rank(std::string_view op, const Tensor& x, const char* wanted, At at) {
  raise<InvalidArgument>(
      {.what = str(op, " of shape ", x.shape()), .wanted = wanted, .location = at});
}

// From `first` up to `last` along an axis.
Tensor part_of(const Tensor& x, int axis, int64_t first, int64_t last, At at) {
  Shape begin(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0)), size = x.shape();
  begin.set(axis, first);
  size.set(axis, last - first);
  return v0::slice(x, begin, size, at);
}

Tensor at_least(const Tensor& x, int rank, At at) {
  if (x.rank() >= rank) return x;
  if (x.rank() == 0) return v0::reshape(x, Shape(std::vector<int64_t>(size_t(rank), 1)), at);
  // NumPy's order: [n] is a row, and in depth [1, n, 1].
  const Tensor row = x.rank() == 1 ? v0::expand_dims(x, 0, at) : x;
  return rank == 3 ? v0::expand_dims(row, 2, at) : row;
}

std::vector<Tensor> all_at_least(const std::vector<Tensor>& parts, int rank, At at) {
  std::vector<Tensor> raised;
  for (const Tensor& part : parts) raised.push_back(at_least(part, rank, at));
  return raised;
}

// 1 for elements whose column is at most `k` to the right of their row.
Tensor below_diagonal(const Shape& shape, int64_t k) {
  const Shape matrix{shape[-2], shape[-1]};
  return v0::iota(matrix, 1) - v0::iota(matrix, 0) <= k;
}

}  // namespace

Tensor append(const Tensor& x, const Tensor& values, std::optional<int> axis, At at) {
  if (!axis) return v0::concat({ravel(x, at), ravel(values, at)}, 0, at);
  return v0::concat({x, values}, *axis, at);
}
Tensor concatenate(const std::vector<Tensor>& parts, int axis, At at) {
  return v0::concat(parts, axis, at);
}
Tensor hstack(const std::vector<Tensor>& parts, At at) {
  const std::vector<Tensor> raised = all_at_least(parts, 1, at);
  return v0::concat(raised, !raised.empty() && raised[0].rank() == 1 ? 0 : 1, at);
}
Tensor vstack(const std::vector<Tensor>& parts, At at) {
  return v0::concat(all_at_least(parts, 2, at), 0, at);
}
Tensor dstack(const std::vector<Tensor>& parts, At at) {
  return v0::concat(all_at_least(parts, 3, at), 2, at);
}

std::vector<Tensor> split(const Tensor& x, const std::vector<int64_t>& positions, int axis, At at) {
  const int place = axis_of(x, axis, at);
  const int64_t size = x.shape()[place];
  std::vector<Tensor> parts;
  int64_t first = 0;
  const auto add = [&](int64_t last) {
    last = std::clamp(last < 0 ? last + size : last, first, size);
    parts.push_back(part_of(x, place, first, last, at));
    first = last;
  };
  for (const int64_t position : positions) add(position);
  add(size);
  return parts;
}
std::vector<Tensor> split(const Tensor& x, int64_t sections, int axis, At at) {
  const int64_t size = x.shape()[axis_of(x, axis, at)];
  if (sections < 1 || size % sections != 0) {
    raise<InvalidArgument>({.what = str("split of an axis of ", size, " into ", sections),
                            .wanted = "a number that divides it",
                            .hint = "array_split takes others",
                            .location = at});
  }
  return array_split(x, sections, axis, at);
}
std::vector<Tensor> array_split(const Tensor& x, int64_t sections, int axis, At at) {
  const int64_t size = x.shape()[axis_of(x, axis, at)];
  if (sections < 1) {
    raise<InvalidArgument>(
        {.what = str("array_split into ", sections), .wanted = "1 or more", .location = at});
  }
  std::vector<int64_t> positions;
  for (int64_t part = 1, last = 0; part < sections; ++part) {
    last += size / sections + (part <= size % sections ? 1 : 0);
    positions.push_back(last);
  }
  return split(x, positions, axis, at);
}
std::vector<Tensor> hsplit(const Tensor& x, int64_t sections, At at) {
  return split(x, sections, x.rank() == 1 ? 0 : 1, at);
}
std::vector<Tensor> vsplit(const Tensor& x, int64_t sections, At at) {
  return split(x, sections, 0, at);
}
std::vector<Tensor> dsplit(const Tensor& x, int64_t sections, At at) {
  return split(x, sections, 2, at);
}
std::vector<Tensor> unstack(const Tensor& x, int axis, At at) {
  const int place = axis_of(x, axis, at);
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < x.shape()[place]; ++i)
    parts.push_back(v0::squeeze(part_of(x, place, i, i + 1, at), {place}, at));
  return parts;
}

Tensor flip(const Tensor& x, std::vector<int> axes, At at) {
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(x.rank()));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return v0::flip(x, std::move(axes), at);
}
Tensor fliplr(const Tensor& x, At at) { return v0::flip(x, {1}, at); }
Tensor flipud(const Tensor& x, At at) { return v0::flip(x, {0}, at); }

Tensor moveaxis(const Tensor& x, const std::vector<int>& source,
                const std::vector<int>& destination, At at) {
  if (source.size() != destination.size()) {
    raise<InvalidArgument>(
        {.what = str("moveaxis of ", source.size(), " axes to ", destination.size(), " places"),
         .location = at});
  }
  std::vector<int> order(static_cast<size_t>(x.rank()), -1), moved;
  for (size_t i = 0; i < source.size(); ++i) {
    moved.push_back(axis_of(x, source[i], at));
    order[static_cast<size_t>(axis_of(x, destination[i], at))] = moved.back();
  }
  int next = 0;
  for (int& axis : order) {
    if (axis >= 0) continue;
    while (std::find(moved.begin(), moved.end(), next) != moved.end()) ++next;
    axis = next++;
  }
  return v0::transpose(x, order, at);
}
Tensor swapaxes(const Tensor& x, int axis1, int axis2, At at) {
  std::vector<int> order(static_cast<size_t>(x.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(axis_of(x, axis1, at))],
            order[static_cast<size_t>(axis_of(x, axis2, at))]);
  return v0::transpose(x, order, at);
}
Tensor ravel(const Tensor& x, At at) { return v0::reshape(x, {-1}, at); }
Tensor copy(const Tensor& x) { return x; }

Tensor roll(const Tensor& x, int64_t shift, std::optional<int> axis, At at) {
  if (!axis) return v0::reshape(roll(ravel(x, at), shift, 0, at), x.shape(), at);
  const int place = axis_of(x, *axis, at);
  const int64_t size = x.shape()[place];
  if (size == 0) return x;
  const int64_t last = size - ((shift % size) + size) % size;
  return v0::concat({part_of(x, place, last, size, at), part_of(x, place, 0, last, at)}, place, at);
}
Tensor rot90(const Tensor& x, int turns, std::pair<int, int> axes, At at) {
  turns = ((turns % 4) + 4) % 4;
  if (turns == 0) return x;
  if (turns == 2) return v0::flip(x, {axes.first, axes.second}, at);
  const Tensor turned = swapaxes(x, axes.first, axes.second, at);
  return v0::flip(turned, {turns == 1 ? axes.first : axes.second}, at);
}

Tensor repeat(const Tensor& x, int64_t repeats, std::optional<int> axis, At at) {
  if (!axis) return repeat(ravel(x, at), repeats, 0, at);
  const int place = axis_of(x, *axis, at);
  return repeat(x, std::vector<int64_t>(static_cast<size_t>(x.shape()[place]), repeats), place, at);
}
Tensor repeat(const Tensor& x, const std::vector<int64_t>& repeats, int axis, At at) {
  const int place = axis_of(x, axis, at);
  if (static_cast<int64_t>(repeats.size()) != x.shape()[place]) {
    raise<InvalidArgument>({.what = str("repeat has ", repeats.size(), " numbers"),
                            .wanted = str("one for each of the ", x.shape()[place], " elements"),
                            .location = at});
  }
  std::vector<int32_t> places;
  for (size_t i = 0; i < repeats.size(); ++i)
    places.insert(places.end(), static_cast<size_t>(std::max<int64_t>(repeats[i], 0)),
                  static_cast<int32_t>(i));
  const Shape count{static_cast<int64_t>(places.size())};
  return v0::gather(x, Tensor(Literal::from(std::span<const int32_t>(places), count)), place, at);
}
Tensor take(const Tensor& x, const Tensor& indices, std::optional<int> axis, At at) {
  if (!axis) return take(ravel(x, at), indices, 0, at);
  const int place = axis_of(x, *axis, at);
  const Tensor from_start = v0::where(indices < 0, indices + x.shape()[place], indices);
  return v0::gather(x, from_start, place, at);
}

// Each element's place in the unpadded axis.
Tensor pad(const Tensor& x, const std::vector<std::pair<int64_t, int64_t>>& pad_width, PadMode mode,
           double constant_values, At at) {
  if (mode == PadMode::constant) return v0::pad(x, pad_width, constant_values, at);
  if (static_cast<int>(pad_width.size()) != x.rank())
    raise_rank("pad", x, "a (before, after) for each axis", at);
  Tensor y = x;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const auto [before, after] = pad_width[static_cast<size_t>(axis)];
    if (before == 0 && after == 0) continue;
    const int64_t size = x.shape()[axis];
    const int64_t most = mode == PadMode::reflect ? size - 1 : size;
    if (size == 0 || (mode != PadMode::edge && std::max(before, after) > most))
      raise_rank("pad", x, "an axis that is as long as what it pads", at);
    std::vector<int32_t> places;
    for (int64_t i = -before; i < size + after; ++i) {
      int64_t place = std::clamp<int64_t>(i, 0, size - 1);
      const int64_t edge = mode == PadMode::reflect ? 0 : 1;
      if (mode != PadMode::edge && i < 0) place = -i - edge;
      if (mode != PadMode::edge && i >= size) place = 2 * (size - 1) - i + edge;
      places.push_back(static_cast<int32_t>(place));
    }
    const Shape count{static_cast<int64_t>(places.size())};
    y = v0::gather(y, Tensor(Literal::from(std::span<const int32_t>(places), count)), axis, at);
  }
  return y;
}

Tensor diagonal(const Tensor& x, int64_t offset, int axis1, int axis2, At at) {
  if (x.rank() < 2) raise_rank("diagonal", x, "2 axes or more", at);
  const Tensor last = moveaxis(x, {axis1, axis2}, {-2, -1}, at);
  const int64_t rows = last.shape()[-2], columns = last.shape()[-1];
  const int64_t first = offset >= 0 ? offset : -offset * columns;
  const int64_t length = std::max<int64_t>(
      0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  std::vector<int32_t> places;
  for (int64_t i = 0; i < length; ++i)
    places.push_back(static_cast<int32_t>(first + i * (columns + 1)));
  Shape flat = last.shape().slice(0, last.rank() - 2);
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < flat.rank(); ++axis) sizes.push_back(flat[axis]);
  sizes.push_back(rows * columns);
  return v0::gather(v0::reshape(last, Shape(sizes), at),
                    Tensor(Literal::from(std::span<const int32_t>(places), {length})), -1, at);
}
Tensor diag(const Tensor& x, int64_t k, At at) {
  if (x.rank() == 2) return diagonal(x, k, 0, 1, at);
  if (x.rank() != 1) raise_rank("diag", x, "a vector or a matrix", at);
  const int64_t size = x.shape()[0] + std::abs(k);
  const Shape square{size, size};
  const Tensor padded = v0::pad(x, {{k < 0 ? 0 : k, k < 0 ? -k : 0}}, 0, at);  // each at its column
  const Tensor on_diagonal = v0::iota(square, 1) - v0::iota(square, 0) == k;
  return v0::where(on_diagonal, padded, v0::zeros({}, x.dtype()));
}
Tensor diagflat(const Tensor& x, int64_t k, At at) { return diag(ravel(x, at), k, at); }
Tensor trace(const Tensor& x, int64_t offset, int axis1, int axis2, At at) {
  return v0::sum(diagonal(x, offset, axis1, axis2, at), {.axis = -1}, at);
}
Tensor tril(const Tensor& x, int64_t k, At at) {
  if (x.rank() < 2) raise_rank("tril", x, "2 axes or more", at);
  return v0::where(below_diagonal(x.shape(), k), x, v0::zeros({}, x.dtype()));
}
Tensor triu(const Tensor& x, int64_t k, At at) {
  if (x.rank() < 2) raise_rank("triu", x, "2 axes or more", at);
  return v0::where(below_diagonal(x.shape(), k - 1), v0::zeros({}, x.dtype()), x);
}

Tensor extract_sequences(const Tensor& x, int64_t length, int64_t stride, At at) {
  if (x.rank() == 0 || length < 1 || stride < 1 || x.shape()[-1] < length)
    raise_rank("extract_sequences", x, "a last axis that holds a sequence; stride of 1 or more",
               at);
  const int64_t count = 1 + (x.shape()[-1] - length) / stride;
  std::vector<int32_t> places;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < length; ++j) places.push_back(static_cast<int32_t>(i * stride + j));
  return v0::gather(x, Tensor(Literal::from(std::span<const int32_t>(places), {count, length})), -1,
                    at);
}
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape, At at) {
  if (!is_integer(indices.dtype())) raise_rank("unravel_index", indices, "integers", at);
  std::vector<Tensor> places(static_cast<size_t>(shape.rank()));
  Tensor left = v0::where(indices < 0, indices + shape.elements(), indices);
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const Tensor above = left / shape[axis];
    places[static_cast<size_t>(axis)] = left - above * shape[axis];
    left = above;
  }
  return places;
}
Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices,
              double otherwise, At at) {
  if (conditions.empty() || conditions.size() != choices.size()) {
    raise<InvalidArgument>(
        {.what = str("select has ", conditions.size(), " conditions, ", choices.size(), " choices"),
         .wanted = "as many of each",
         .location = at});
  }
  Tensor chosen = v0::fill({}, otherwise, choices[0].dtype(), at);
  for (size_t i = conditions.size(); i-- > 0;)
    chosen = v0::where(conditions[i], choices[i], chosen);
  return chosen;
}

}  // namespace ops
}  // namespace systolic::inline v0
