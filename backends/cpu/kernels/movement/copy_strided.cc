// The one loop nest of transposes, broadcasts, slices, reversals, concatenations and pads.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/kernels/movement/transpose_block.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

struct Axis {
  int64_t size, source, destination;
};

// The axes of a copy, outermost first in the destination's order, as few as possible.
struct CopyPlan {
  int axes = 0;
  std::array<Axis, max_axes + 1> axis{};
};

CopyPlan make_plan(std::span<const int64_t> dims, std::span<const int64_t> source_strides,
                   std::span<const int64_t> destination_strides) {
  ensure(dims.size() <= static_cast<size_t>(max_axes), "copies are of at most 12 axes");
  CopyPlan plan;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] == 1) continue;
    plan.axis[plan.axes++] = {dims[k], source_strides[k], destination_strides[k]};
  }
  const auto begin = plan.axis.begin(), end = begin + plan.axes;
  // Insertion sort: a stable order without memory of its own.
  for (auto i = begin; i != end; ++i) {
    for (auto j = i; j != begin && (j - 1)->destination < j->destination; --j) {
      std::swap(*(j - 1), *j);
    }
  }
  int merged = 0;
  for (int k = 0; k < plan.axes; ++k) {
    const Axis next = plan.axis[k];
    Axis* last = merged > 0 ? &plan.axis[merged - 1] : nullptr;
    if (last && last->source == next.source * next.size &&
        last->destination == next.destination * next.size) {
      *last = {last->size * next.size, next.source, next.destination};
    } else {
      plan.axis[merged++] = next;
    }
  }
  plan.axes = merged;
  return plan;
}

// Visits positions of the outer axes, counted row-major, with the offsets that belong to them.
class OuterLoop {
 public:
  OuterLoop(const CopyPlan& plan, int axes, int64_t position) : plan_(plan), axes_(axes) {
    for (int k = axes - 1; k >= 0; --k) {
      index_[k] = position % plan.axis[k].size;
      position /= plan.axis[k].size;
      source += index_[k] * plan.axis[k].source;
      destination += index_[k] * plan.axis[k].destination;
    }
  }
  void next() {
    for (int k = axes_ - 1; k >= 0; --k) {
      source += plan_.axis[k].source;
      destination += plan_.axis[k].destination;
      if (++index_[k] < plan_.axis[k].size) return;
      source -= plan_.axis[k].size * plan_.axis[k].source;
      destination -= plan_.axis[k].size * plan_.axis[k].destination;
      index_[k] = 0;
    }
  }
  int64_t source = 0, destination = 0;

 private:
  const CopyPlan& plan_;
  int axes_;
  std::array<int64_t, max_axes + 1> index_{};
};

int64_t outer_positions(const CopyPlan& plan, int axes) {
  int64_t count = 1;
  for (int k = 0; k < axes; ++k) count *= plan.axis[k].size;
  return count;
}

template <class T>
void copy_run(const T* source, int64_t source_stride, T* destination, int64_t destination_stride,
              int64_t count) {
  if (destination_stride == 1 && source_stride == 1) {
    std::memcpy(destination, source, static_cast<size_t>(count) * sizeof(T));
  } else if (destination_stride == 1 && source_stride == 0) {
    std::fill_n(destination, count, *source);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      destination[i * destination_stride] = source[i * source_stride];
    }
  }
}

constexpr int64_t piece_elements = 16384;  // of one thread's turn, at least

// Runs along the innermost axis.
template <class T>
void copy_runs(CopyPlan plan, const T* source, T* destination, ThreadPool& pool) {
  // A long innermost axis is cut, so that threads can share it.
  Axis& inner = plan.axis[plan.axes - 1];
  if (inner.size >= 2 * piece_elements) {
    const Axis whole = inner;
    const int64_t pieces = (whole.size + piece_elements - 1) / piece_elements;
    const int64_t outer = outer_positions(plan, plan.axes - 1);
    pool.parallel_for(outer * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const OuterLoop loop(plan, plan.axes - 1, task / pieces);
        const int64_t first = task % pieces * piece_elements;
        copy_run(source + loop.source + first * whole.source, whole.source,
                 destination + loop.destination + first * whole.destination, whole.destination,
                 std::min(piece_elements, whole.size - first));
      }
    });
    return;
  }
  const int64_t outer = outer_positions(plan, plan.axes - 1);
  const auto body = [&](int64_t begin, int64_t end) {
    OuterLoop loop(plan, plan.axes - 1, begin);
    for (int64_t row = begin; row < end; ++row, loop.next()) {
      copy_run(source + loop.source, inner.source, destination + loop.destination,
               inner.destination, inner.size);
    }
  };
  if (outer * inner.size <= piece_elements) return body(0, outer);
  pool.parallel_for(outer, std::max<int64_t>(1, piece_elements / inner.size), body);
}

// Two axes of which the source runs along one and the destination along the other. A block goes by
// way of a small buffer: every cache line of both arrays is then touched once and whole, whatever
// the strides (powers of two would throw each other out of the cache).
template <class T>
struct TransposeBlock {
  static constexpr int64_t columns = 64 / sizeof(T);  // a cache line of the destination
  static constexpr int64_t rows = 4 * columns;        // four of the source
};

template <class T>
void copy_block(const T* source, int64_t source_stride, T* destination, int64_t destination_stride,
                int64_t rows, int64_t columns) {
  using Block = TransposeBlock<T>;
  if constexpr (std::is_same_v<T, uint32_t>) {
    if (columns == transpose_unit && rows % transpose_unit == 0) {
      return transpose_block(source, source_stride, destination, destination_stride, rows);
    }
  }
  alignas(64) T buffer[Block::columns][Block::rows];
  for (int64_t column = 0; column < columns; ++column) {
    std::memcpy(buffer[column], source + column * source_stride,
                static_cast<size_t>(rows) * sizeof(T));
  }
  for (int64_t row = 0; row < rows; ++row) {
    T* target = destination + row * destination_stride;
    if (columns == Block::columns) {  // a fixed count, which the compiler unrolls
      for (int64_t column = 0; column < Block::columns; ++column) {
        target[column] = buffer[column][row];
      }
    } else {
      for (int64_t column = 0; column < columns; ++column) target[column] = buffer[column][row];
    }
  }
}

// `along`: the axis with source stride 1; the innermost has destination stride 1.
template <class T>
void copy_transposed(CopyPlan plan, int along, const T* source, T* destination, ThreadPool& pool) {
  using Block = TransposeBlock<T>;
  // The two axes last.
  const Axis row = plan.axis[along], column = plan.axis[plan.axes - 1];
  for (int k = along; k + 2 < plan.axes; ++k) plan.axis[k] = plan.axis[k + 1];
  const int outer_axes = plan.axes - 2;
  const int64_t strips = (row.size + Block::rows - 1) / Block::rows;
  const int64_t outer = outer_positions(plan, outer_axes);
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const OuterLoop loop(plan, outer_axes, task / strips);
      const int64_t first_row = task % strips * Block::rows;
      const int64_t rows = std::min(Block::rows, row.size - first_row);
      for (int64_t first = 0; first < column.size; first += Block::columns) {
        copy_block(source + loop.source + first_row + first * column.source, column.source,
                   destination + loop.destination + first_row * row.destination + first,
                   row.destination, rows, std::min(Block::columns, column.size - first));
      }
    }
  };
  const int64_t tasks = outer * strips;
  const int64_t task_elements = std::min(Block::rows, row.size) * column.size;
  if (tasks * task_elements <= piece_elements) return body(0, tasks);
  pool.parallel_for(tasks, std::max<int64_t>(1, piece_elements / task_elements), body);
}

template <class T>
void copy_typed(const CopyPlan& plan, const T* source, T* destination, ThreadPool& pool) {
  if (plan.axes == 0) {
    *destination = *source;
    return;
  }
  const Axis& inner = plan.axis[plan.axes - 1];
  if (inner.destination == 1 && inner.source != 1 && inner.source != 0 && inner.size >= 4) {
    for (int k = plan.axes - 2; k >= 0; --k) {
      if (plan.axis[k].source != 1 || plan.axis[k].size < 4) continue;
      return copy_transposed(plan, k, source, destination, pool);
    }
  }
  copy_runs(plan, source, destination, pool);
}

}  // namespace

void copy_strided(int element_bytes, std::span<const int64_t> dims, const void* source,
                  std::span<const int64_t> source_strides, void* destination,
                  std::span<const int64_t> destination_strides, ThreadPool& pool) {
  for (int64_t size : dims) {
    if (size == 0) return;
  }
  const CopyPlan plan = make_plan(dims, source_strides, destination_strides);
  visit_width(element_bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    copy_typed(plan, static_cast<const T*>(source), static_cast<T*>(destination), pool);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
