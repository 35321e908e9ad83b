// Factors of gather and scatter: axes along which indices are independent, axes that each slice
// takes whole, and batching axes.
#include <algorithm>
#include <optional>

#include "systolic/ir/region.h"
#include "systolic/passes/partition/factors.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;

namespace {

bool holds_axis(const Axes& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// The axes of an array of `rank` axes that are not among these.
std::vector<int> other_axes(int rank, const Axes& axes) {
  std::vector<int> others;
  for (int axis = 0; axis < rank; ++axis) {
    if (!holds_axis(axes, axis)) others.push_back(axis);
  }
  return others;
}

// Which axes of the array are those of a slice, in order: all that are neither collapsed nor
// batching.
std::vector<int> slice_axes(int rank, const Axes& collapsed, const Axes& batching) {
  Axes gone = collapsed;
  gone.insert(gone.end(), batching.begin(), batching.end());
  return other_axes(rank, gone);
}

// For each axis of the indices but that of the index vector, its axis in result or updates, and its
// batching axis in the array where it has one.
struct IndexAxis {
  int indices, slices;
  int array = no_cut;
};

std::vector<IndexAxis> index_axes(const Shape& indices, int64_t index_vector_dim,
                                  int rank_of_slices, const Axes& window_axes,
                                  const Axes& array_batching, const Axes& indices_batching) {
  const std::vector<int> outer = other_axes(rank_of_slices, window_axes);
  std::vector<IndexAxis> axes;
  size_t next = 0;
  for (int axis = 0; axis < indices.rank(); ++axis) {
    if (axis == index_vector_dim) continue;
    IndexAxis found{axis, outer[next++]};
    for (size_t i = 0; i < indices_batching.size(); ++i) {
      if (indices_batching[i] == axis) found.array = static_cast<int>(array_batching[i]);
    }
    axes.push_back(found);
  }
  return axes;
}

}  // namespace

void gather_factors(FactorList& factors) {
  const auto& a = factors.op().get<ir::GatherAttributes>();
  for (const IndexAxis& axis :
       index_axes(factors.operand(1), a.index_vector_dim, factors.result().rank(), a.offset_dims,
                  a.operand_batching_dims, a.start_indices_batching_dims)) {
    factors.pass({axis.array, axis.indices}, axis.slices);
  }
  const std::vector<int> windows =
      slice_axes(factors.operand(0).rank(), a.collapsed_slice_dims, a.operand_batching_dims);
  for (size_t i = 0; i < windows.size(); ++i) {
    const int axis = windows[i];
    const bool whole = a.slice_sizes[static_cast<size_t>(axis)] == factors.operand(0)[axis];
    if (whole && !holds_axis(a.start_index_map, axis)) {
      factors.pass({axis, no_cut}, static_cast<int>(a.offset_dims[i]));
    }
  }
}

// One array, whose updates are combined by an op: what several processes update adds up.
void scatter_factors(FactorList& factors) {
  if (factors.operands() != 3) return;
  const auto& a = factors.op().get<ir::ScatterAttributes>();
  const bool combines = ir::fold_op(factors.op().regions[0]).has_value();
  for (const IndexAxis& axis :
       index_axes(factors.operand(1), a.index_vector_dim, factors.operand(2).rank(),
                  a.update_window_dims, a.input_batching_dims, a.scatter_indices_batching_dims)) {
    if (axis.array != no_cut) {
      factors.pass({axis.array, axis.indices, axis.slices}, axis.array);
    } else if (combines) {
      factors.fold({no_cut, axis.indices, axis.slices});
    }
  }
  const std::vector<int> windows =
      slice_axes(factors.operand(0).rank(), a.inserted_window_dims, a.input_batching_dims);
  for (size_t i = 0; i < windows.size(); ++i) {
    const int axis = windows[i];
    const auto update = static_cast<int>(a.update_window_dims[i]);
    const bool whole = factors.operand(2)[update] == factors.operand(0)[axis];
    if (whole && !holds_axis(a.scatter_dims_to_operand_dims, axis)) {
      factors.pass({axis, no_cut, update}, axis);
    }
  }
}

}  // namespace passes
}  // namespace systolic::inline v0
