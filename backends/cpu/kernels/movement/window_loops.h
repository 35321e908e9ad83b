// A gather or scatter as loops over windows of the operand: what both have in common. Internal to
// movement.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/cpu/kernels/movement/gather.h"
#include "backends/cpu/kernels/movement/index_at.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "systolic/base/threads/thread_pool.h"

namespace systolic::inline v0 {
namespace kernels {

using Index = std::array<int64_t, max_axes + 1>;

// A gather or scatter as loops: over batch positions (each with its start in the operand), then
// over a window.
struct WindowLoops {
  int batch_rank = 0, window_rank = 0, operand_rank = 0, index_size = 1;
  // Batch axes, outermost first: sizes, and steps in the indices and in the result.
  Index batch_sizes{}, batch_index_strides{}, batch_result_strides{};
  // For each batch axis the operand axis it walks along (operand batching), or -1.
  Index batch_operand_axis{};
  // Window axes: sizes, operand axes, and steps in the result.
  Index window_sizes{}, window_axes{}, window_result_strides{};
  Index operand_dims{}, operand_strides{}, slice_sizes{};
  int64_t batch_count = 1, window_count = 1;
  int64_t index_component_stride = 1;  // from one component of a start index to the next
  Index start_axis{};                  // component -> operand axis
};

// Shapes of too many axes are an Unimplemented.
WindowLoops make_loops(const GatherGeometry& geometry);
// Operand axes that a window spans: neither collapsed nor batching.
bool is_window_axis(const GatherNumbers& numbers, int64_t axis);
// Whether windows are runs of the operand and of the result alike: then they are copied whole.
bool windows_are_contiguous(const WindowLoops& loops);

// Where one batch position reads its start index, where its result begins, and the start in the
// operand.
struct BatchPosition {
  int64_t index_offset = 0, result_offset = 0;
  Index start{};
};

inline BatchPosition batch_position(const WindowLoops& loops, DType index_dtype,
                                    const void* indices, int64_t position) {
  BatchPosition result;
  for (int b = loops.batch_rank - 1; b >= 0; --b) {
    const int64_t i = position % loops.batch_sizes[b];
    position /= loops.batch_sizes[b];
    result.index_offset += i * loops.batch_index_strides[b];
    result.result_offset += i * loops.batch_result_strides[b];
    if (loops.batch_operand_axis[b] >= 0) result.start[loops.batch_operand_axis[b]] = i;
  }
  for (int c = 0; c < loops.index_size; ++c) {
    result.start[loops.start_axis[c]] =
        index_at(index_dtype, indices, result.index_offset + c * loops.index_component_stride);
  }
  return result;
}

// Calls visit(operand offset from the start, result offset) for every window element, row-major.
template <class Visit>
void for_each_window_element(const WindowLoops& loops, Visit&& visit) {
  Index index{};
  int64_t operand = 0, result = 0;
  for (int64_t n = 0; n < loops.window_count; ++n) {
    visit(operand, result);
    for (int w = loops.window_rank - 1; w >= 0; --w) {
      operand += loops.operand_strides[loops.window_axes[w]];
      result += loops.window_result_strides[w];
      if (++index[w] < loops.window_sizes[w]) break;
      operand -= loops.window_sizes[w] * loops.operand_strides[loops.window_axes[w]];
      result -= loops.window_sizes[w] * loops.window_result_strides[w];
      index[w] = 0;
    }
  }
}

// body(begin, end) for all of [0, count), by several threads where it is more than `grain`.
inline void in_pieces(int64_t count, int64_t grain, ThreadPool& pool,
                      FunctionRef<void(int64_t, int64_t)> body) {
  if (count <= grain) return body(0, count);
  pool.parallel_for(count, std::max<int64_t>(1, grain), body);
}

}  // namespace kernels
}  // namespace systolic::inline v0
