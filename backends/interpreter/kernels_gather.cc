#include <algorithm>
#include <numeric>

#include "backends/interpreter/elements.h"
#include "backends/interpreter/fold.h"
#include "backends/interpreter/kernels.h"
#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using ir::Axes;

// Coordinates of `index` at `axes`.
Index at_axes(const Index& index, const Axes& axes) {
  Index result;
  for (int64_t axis : axes) result.push_back(index[static_cast<size_t>(axis)]);
  return result;
}

// The index vector at a batch position, as coordinates of the operand: start_index_map says which.
Index start_of(const Literal& indices, const Index& batch, int64_t index_vector_dim,
               const Axes& start_index_map, int rank) {
  Index start(static_cast<size_t>(rank), 0);
  for (size_t i = 0; i < start_index_map.size(); ++i) {
    Index at = batch;
    if (index_vector_dim < indices.rank()) {
      at.insert(at.begin() + index_vector_dim, static_cast<int64_t>(i));
    }
    start[static_cast<size_t>(start_index_map[i])] =
        indices.integer_at(offset_of(indices.shape(), at));
  }
  return start;
}

// Position within the batch coordinates of axis `axis` of the indices.
size_t batch_position(int64_t axis, int64_t index_vector_dim) {
  return static_cast<size_t>(axis < index_vector_dim ? axis : axis - 1);
}

// Adds the batch coordinates of batching axes.
void add_batching(Index& index, const Index& batch, const Axes& operand_dims,
                  const Axes& indices_dims, int64_t index_vector_dim) {
  for (size_t i = 0; i < operand_dims.size(); ++i) {
    index[static_cast<size_t>(operand_dims[i])] +=
        batch[batch_position(indices_dims[i], index_vector_dim)];
  }
}

// Whether a window of these sizes along the axes that are kept, and of 1 along others, lies inside.
bool fits(const Shape& shape, const Index& start, const Index& sizes, const Axes& kept) {
  Index last = start;
  for (size_t i = 0; i < kept.size(); ++i) last[static_cast<size_t>(kept[i])] += sizes[i] - 1;
  return inside(shape, start) && inside(shape, last);
}

// Spreads window coordinates over the axes that are kept.
void add_window(Index& index, const Index& window, const Axes& kept) {
  for (size_t i = 0; i < kept.size(); ++i) index[static_cast<size_t>(kept[i])] += window[i];
}

}  // namespace

std::vector<Literal> run_gather(const Call& call) {
  const auto& a = call.op.get<ir::GatherAttributes>();
  const Literal &x = call.operand(0), &indices = call.operand(1);
  const int rank = x.rank();
  const Axes batch_dims = remaining_axes(call.result().shape.rank(), a.offset_dims);
  const Axes kept =
      remaining_axes(rank, joined_axes(a.collapsed_slice_dims, a.operand_batching_dims));
  return {moved(call.result(), x, x, [&](const Index& index) {
    const Index batch = at_axes(index, batch_dims);
    Index from = start_of(indices, batch, a.index_vector_dim, a.start_index_map, rank);
    for (int axis = 0; axis < rank; ++axis) {
      const auto i = static_cast<size_t>(axis);
      from[i] = std::clamp<int64_t>(from[i], 0, x.shape()[axis] - a.slice_sizes[i]);
    }
    add_batching(from, batch, a.operand_batching_dims, a.start_indices_batching_dims,
                 a.index_vector_dim);
    add_window(from, at_axes(index, a.offset_dims), kept);
    return offset_of(x.shape(), from);
  })};
}

std::vector<Literal> run_scatter(const Call& call) {
  const auto& a = call.op.get<ir::ScatterAttributes>();
  const size_t count = call.operands.size() / 2;
  const Literal& indices = call.operand(count);
  const std::span<const Literal> updates = call.operands.subspan(count + 1);
  std::vector<Literal> results;
  for (size_t i = 0; i < count; ++i)
    results.push_back(call.operand(i).convert(call.result(i).dtype));
  const Shape& shape = results[0].shape();
  const Axes scatter_dims = remaining_axes(updates[0].rank(), a.update_window_dims);
  const Axes kept =
      remaining_axes(shape.rank(), joined_axes(a.inserted_window_dims, a.input_batching_dims));
  const Index sizes = at_axes(updates[0].shape().to_vector(), a.update_window_dims);
  const Fold fold(call, 0);
  int64_t position = 0;
  for_each_index(updates[0].shape(), [&](const Index& index) {
    const Index batch = at_axes(index, scatter_dims);
    Index to =
        start_of(indices, batch, a.index_vector_dim, a.scatter_dims_to_operand_dims, shape.rank());
    add_batching(to, batch, a.input_batching_dims, a.scatter_indices_batching_dims,
                 a.index_vector_dim);
    // A window that does not lie inside as a whole is left out as a whole, as XLA does; the
    // specification leaves out its elements one by one.
    const bool whole = fits(shape, to, sizes, kept);
    add_window(to, at_axes(index, a.update_window_dims), kept);
    if (whole) fold.apply_at(results, offset_of(shape, to), updates, position);
    ++position;
  });
  return results;
}

std::vector<Literal> run_sort(const Call& call) {
  const Shape& shape = call.operand().shape();
  const int64_t dimension = call.op.get<ir::SortAttributes>().dimension;
  const int axis = static_cast<int>(dimension < 0 ? dimension + shape.rank() : dimension);
  const int64_t length = shape[axis];
  const int64_t step = shape.strides()[static_cast<size_t>(axis)];
  std::vector<Literal> results(call.operands.begin(), call.operands.end());
  Shape lines = shape;
  lines.set(axis, shape[axis] == 0 ? 0 : 1);
  for_each_index(lines, [&](const Index& index) {
    const int64_t start = offset_of(shape, index);
    std::vector<int64_t> order(static_cast<size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    // Always stable: that is one of the allowed results when is_stable is false.
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      std::vector<Literal> pair;
      for (const Literal& x : call.operands) {
        pair.push_back(element(x, start + a * step));
        pair.push_back(element(x, start + b * step));
      }
      return call.run(0, pair)[0].data<bool>()[0];
    });
    for (size_t k = 0; k < results.size(); ++k) {
      for (int64_t i = 0; i < length; ++i) {
        copy_element(call.operand(k), start + order[static_cast<size_t>(i)] * step, results[k],
                     start + i * step);
      }
    }
  });
  return results;
}

}  // namespace interpreter
}  // namespace systolic::inline v0
