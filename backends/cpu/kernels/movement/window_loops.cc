#include "backends/cpu/kernels/movement/window_loops.h"

#include <vector>

#include "systolic/base/error.h"
#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

Index row_major_strides(const std::vector<int64_t>& dims) {
  Index strides{};
  int64_t stride = 1;
  for (size_t k = dims.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= dims[k];
  }
  return strides;
}

void add_batch_axes(const GatherGeometry& g, const Index& result_strides, WindowLoops& loops) {
  const GatherNumbers& numbers = g.numbers;
  const Index index_strides = row_major_strides(g.indices_dims);
  const int64_t vector_dim = numbers.index_vector_dim;
  size_t result_axis = 0;
  for (size_t k = 0; k < g.indices_dims.size(); ++k) {
    if (static_cast<int64_t>(k) == vector_dim) continue;
    while (has_axis(numbers.offset_dims, static_cast<int64_t>(result_axis))) ++result_axis;
    const int b = loops.batch_rank++;
    loops.batch_sizes[b] = g.indices_dims[k];
    loops.batch_index_strides[b] = index_strides[k];
    loops.batch_result_strides[b] = result_strides[result_axis++];
    loops.batch_count *= g.indices_dims[k];
    loops.batch_operand_axis[b] = -1;
    for (size_t i = 0; i < numbers.start_indices_batching_dims.size(); ++i) {
      if (numbers.start_indices_batching_dims[i] == static_cast<int64_t>(k)) {
        loops.batch_operand_axis[b] = numbers.operand_batching_dims[i];
      }
    }
  }
  loops.index_size = static_cast<int>(numbers.start_index_map.size());
  const bool explicit_vector = vector_dim < static_cast<int64_t>(g.indices_dims.size());
  loops.index_component_stride = explicit_vector ? index_strides[vector_dim] : 1;
  for (int i = 0; i < loops.index_size; ++i) loops.start_axis[i] = numbers.start_index_map[i];
}

void add_window_axes(const GatherGeometry& g, const Index& result_strides, WindowLoops& loops) {
  size_t offset = 0;
  for (size_t axis = 0; axis < g.operand_dims.size(); ++axis) {
    loops.slice_sizes[axis] = 1;
    if (!is_window_axis(g.numbers, static_cast<int64_t>(axis))) continue;
    const int64_t result_axis = g.numbers.offset_dims[offset++];
    const int w = loops.window_rank++;
    loops.window_sizes[w] = g.result_dims[result_axis];
    loops.window_axes[w] = static_cast<int64_t>(axis);
    loops.window_result_strides[w] = result_strides[result_axis];
    loops.window_count *= g.result_dims[result_axis];
    loops.slice_sizes[axis] = g.result_dims[result_axis];
  }
}

}  // namespace

bool is_window_axis(const GatherNumbers& numbers, int64_t axis) {
  return !has_axis(numbers.collapsed_slice_dims, axis) &&
         !has_axis(numbers.operand_batching_dims, axis);
}

WindowLoops make_loops(const GatherGeometry& g) {
  for (const auto* dims : {&g.operand_dims, &g.indices_dims, &g.result_dims}) {
    if (dims->size() <= static_cast<size_t>(max_axes)) continue;
    raise<Unimplemented>({.what = str("a gather or scatter over ", dims->size(), " axes"),
                          .wanted = str("at most ", max_axes)});
  }
  WindowLoops loops;
  const Index result_strides = row_major_strides(g.result_dims);
  loops.operand_rank = static_cast<int>(g.operand_dims.size());
  loops.operand_strides = row_major_strides(g.operand_dims);
  for (size_t k = 0; k < g.operand_dims.size(); ++k) loops.operand_dims[k] = g.operand_dims[k];
  add_batch_axes(g, result_strides, loops);
  add_window_axes(g, result_strides, loops);
  return loops;
}

bool windows_are_contiguous(const WindowLoops& loops) {
  int64_t run = 1;
  for (int w = loops.window_rank - 1; w >= 0; --w) {
    if (loops.window_sizes[w] == 1) continue;
    const int64_t axis = loops.window_axes[w];
    if (loops.operand_strides[axis] != run || loops.window_result_strides[w] != run) return false;
    run *= loops.window_sizes[w];
  }
  return true;
}

}  // namespace kernels
}  // namespace systolic::inline v0
