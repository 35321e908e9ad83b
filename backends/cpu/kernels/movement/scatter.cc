#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/movement/fetch_row.h"
#include "backends/cpu/kernels/movement/gather.h"
#include "backends/cpu/kernels/movement/index_at.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/kernels/movement/window_loops.h"
#include "backends/cpu/kernels/reduce/reduce_combine.h"
#include "systolic/base/error.h"
#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Asks for the columns [begin, end) of a row that is written soon.
template <class Stored>
void fetch_columns(const Stored* table, int64_t rows, int64_t row_elements, int64_t row,
                   int64_t begin, int64_t end) {
  if (row < 0 || row >= rows) return;
  fetch_row<1>(reinterpret_cast<const char*>(table + row * row_elements + begin),
               (end - begin) * static_cast<int64_t>(sizeof(Stored)));
}

// Adds every update to the columns [begin, end) of its row: updates in their order, columns shared
// out.
template <class Stored>
void add_columns(Stored* table, int64_t rows, int64_t row_elements, DType index_dtype,
                 const void* indices, int64_t count, const Stored* updates, int64_t begin,
                 int64_t end) {
  using T = CombineType<Stored>;
  const auto row_at = [&](int64_t n) { return index_at(index_dtype, indices, n); };
  for (int64_t n = 0; n < count; ++n) {
    if (n + rows_ahead < count) {
      fetch_columns(table, rows, row_elements, row_at(n + rows_ahead), begin, end);
    }
    const int64_t row = row_at(n);
    if (row < 0 || row >= rows) continue;
    Stored* target = table + row * row_elements;
    const Stored* update = updates + n * row_elements;
    for (int64_t j = begin; j < end; ++j) {
      target[j] = convert_element<Stored>(reduce_combine<ReduceKind::sum, T>(
          convert_element<T>(target[j]), convert_element<T>(update[j])));
    }
  }
}

// Writes every update over the columns [begin, end) of its row: of equal rows the last one stays.
template <class Stored>
void set_columns(Stored* table, int64_t rows, int64_t row_elements, DType index_dtype,
                 const void* indices, int64_t count, const Stored* updates, int64_t begin,
                 int64_t end) {
  const auto row_at = [&](int64_t n) { return index_at(index_dtype, indices, n); };
  for (int64_t n = 0; n < count; ++n) {
    if (n + rows_ahead < count) {
      fetch_columns(table, rows, row_elements, row_at(n + rows_ahead), begin, end);
    }
    const int64_t row = row_at(n);
    if (row < 0 || row >= rows) continue;
    std::memcpy(table + row * row_elements + begin, updates + n * row_elements + begin,
                static_cast<size_t>(end - begin) * sizeof(Stored));
  }
}

// At least a cache line of columns, and enough work in all to be worth a thread.
int64_t column_grain(int64_t element_bytes, int64_t count) {
  return std::max(64 / element_bytes, 16384 / std::max<int64_t>(1, count));
}

}  // namespace

void scatter_add_rows(DType dtype, void* table, int64_t rows, int64_t row_elements,
                      DType index_dtype, const void* indices, int64_t count, const void* updates,
                      ThreadPool& pool) {
  visit_dtype(dtype, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    if constexpr (is_complex_type<Stored> || std::is_same_v<Stored, bool>) {
      raise<Unimplemented>({.what = str("adding rows of ", dtype), .wanted = "real numbers"});
    } else {
      const int64_t grain = column_grain(static_cast<int64_t>(sizeof(Stored)), count);
      in_pieces(row_elements, grain, pool, [&](int64_t begin, int64_t end) {
        add_columns<Stored>(static_cast<Stored*>(table), rows, row_elements, index_dtype, indices,
                            count, static_cast<const Stored*>(updates), begin, end);
      });
    }
  });
}

void scatter_set_rows(int element_bytes, void* table, int64_t rows, int64_t row_elements,
                      DType index_dtype, const void* indices, int64_t count, const void* updates,
                      ThreadPool& pool) {
  visit_width(element_bytes, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    const int64_t grain = column_grain(static_cast<int64_t>(sizeof(Stored)), count);
    in_pieces(row_elements, grain, pool, [&](int64_t begin, int64_t end) {
      set_columns<Stored>(static_cast<Stored*>(table), rows, row_elements, index_dtype, indices,
                          count, static_cast<const Stored*>(updates), begin, end);
    });
  });
}

namespace {

int64_t product(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t size : dims) count *= size;
  return count;
}

// The reduction that a kind of scatter does; nothing for set.
template <class Visitor>
void visit_scatter(ScatterKind kind, Visitor&& visitor) {
  switch (kind) {
    case ScatterKind::set:
      return;
    case ScatterKind::sum:
      return visitor(KindTag<ReduceKind::sum>{});
    case ScatterKind::product:
      return visitor(KindTag<ReduceKind::product>{});
    case ScatterKind::maximum:
      return visitor(KindTag<ReduceKind::maximum>{});
    case ScatterKind::minimum:
      return visitor(KindTag<ReduceKind::minimum>{});
    case ScatterKind::and_:
      return visitor(KindTag<ReduceKind::and_>{});
    case ScatterKind::or_:
      return visitor(KindTag<ReduceKind::or_>{});
  }
}

// Applies every window in turn, but those that reach over the edge; update(target element, update
// element) combines them.
template <class Stored, class Update>
void scatter_all(const WindowLoops& loops, DType index_dtype, const void* indices,
                 const Stored* updates, Stored* output, Update update) {
  for (int64_t position = 0; position < loops.batch_count; ++position) {
    const BatchPosition at = batch_position(loops, index_dtype, indices, position);
    int64_t start = 0;
    bool inside = true;
    for (int k = 0; k < loops.operand_rank; ++k) {
      const int64_t size = loops.operand_dims[k], window = loops.slice_sizes[k];
      inside = inside && at.start[k] >= 0 && at.start[k] <= size - window;
      if (inside) start += at.start[k] * loops.operand_strides[k];
    }
    if (!inside) continue;
    for_each_window_element(loops, [&](int64_t t, int64_t u) {
      update(output[start + t], updates[at.result_offset + u]);
    });
  }
}

// Embeddings: the updates are rows, and a table of rows takes them. Returns whether it was one.
bool scatter_rows(const WindowLoops& loops, const GatherGeometry& geometry, ScatterKind kind,
                  DType dtype, DType index_dtype, const void* indices, const void* updates,
                  void* output, ThreadPool& pool) {
  const bool rows = kind == ScatterKind::sum && loops.index_size == 1 && loops.start_axis[0] == 0 &&
                    loops.slice_sizes[0] == 1 && geometry.numbers.operand_batching_dims.empty() &&
                    dtype != DType::pred && windows_are_contiguous(loops);
  if (!rows) return false;
  int64_t stride = loops.window_count;
  for (int b = loops.batch_rank - 1; b >= 0; --b) {
    if (loops.batch_result_strides[b] != stride && loops.batch_sizes[b] != 1) return false;
    stride *= loops.batch_sizes[b];
  }
  for (int k = 1; k < loops.operand_rank; ++k) {
    if (loops.slice_sizes[k] != loops.operand_dims[k]) return false;
  }
  scatter_add_rows(dtype, output, loops.operand_dims[0], loops.window_count, index_dtype, indices,
                   loops.batch_count, updates, pool);
  return true;
}

}  // namespace

void scatter(const GatherGeometry& geometry, ScatterKind kind, DType dtype, const void* operand,
             DType index_dtype, const void* indices, const void* updates, void* output,
             ThreadPool& pool) {
  const int64_t bytes = byte_width(dtype);
  if (operand != output) {
    copy_bytes(operand, output, product(geometry.operand_dims) * bytes, pool);
  }
  if (product(geometry.result_dims) == 0 || product(geometry.operand_dims) == 0) return;
  const WindowLoops loops = make_loops(geometry);
  if (kind == ScatterKind::set) {
    return visit_width(static_cast<int>(bytes), [&](auto tag) {
      using T = typename decltype(tag)::type;
      scatter_all(loops, index_dtype, indices, static_cast<const T*>(updates),
                  static_cast<T*>(output), [](T& target, T update) { target = update; });
    });
  }
  visit_dtype(dtype, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    if constexpr (is_complex_type<Stored>) {
      raise<Unimplemented>(
          {.what = str("a scatter that combines ", dtype), .wanted = "real numbers or pred"});
    } else {
      if (scatter_rows(loops, geometry, kind, dtype, index_dtype, indices, updates, output, pool)) {
        return;
      }
      visit_scatter(kind, [&](auto kind_tag) {
        using T = CombineType<Stored>;
        constexpr ReduceKind which = decltype(kind_tag)::value;
        scatter_all(loops, index_dtype, indices, static_cast<const Stored*>(updates),
                    static_cast<Stored*>(output), [](Stored& target, Stored update) {
                      target = convert_element<Stored>(reduce_combine<which, T>(
                          convert_element<T>(target), convert_element<T>(update)));
                    });
      });
    }
  });
}

int64_t scatter_target(const GatherGeometry& geometry, DType index_dtype, const void* indices,
                       std::span<const int64_t> update_index) {
  const GatherNumbers& numbers = geometry.numbers;
  std::vector<int64_t> batch;
  for (int64_t axis : remaining_axes(ssize(update_index), numbers.offset_dims)) {
    batch.push_back(update_index[static_cast<size_t>(axis)]);
  }
  // Where the start index is read: the batch position, with the index vector's axis at 0.
  const auto vector_axis = static_cast<size_t>(numbers.index_vector_dim);
  int64_t base = 0, component_stride = 1;
  for (size_t axis = 0, next = 0; axis < geometry.indices_dims.size(); ++axis) {
    const int64_t size = geometry.indices_dims[axis];
    base = base * size + (axis == vector_axis ? 0 : batch[next++]);
    if (axis > vector_axis) component_stride *= size;
  }
  std::vector<int64_t> to(geometry.operand_dims.size(), 0);
  for (size_t i = 0; i < numbers.start_index_map.size(); ++i) {
    to[static_cast<size_t>(numbers.start_index_map[i])] =
        index_at(index_dtype, indices, base + static_cast<int64_t>(i) * component_stride);
  }
  for (size_t i = 0; i < numbers.operand_batching_dims.size(); ++i) {
    const int64_t axis = numbers.start_indices_batching_dims[i];
    const int64_t skipped = axis < numbers.index_vector_dim ? 0 : 1;
    to[static_cast<size_t>(numbers.operand_batching_dims[i])] +=
        batch[static_cast<size_t>(axis - skipped)];
  }
  int64_t offset = 0;
  for (size_t axis = 0, next = 0; axis < to.size(); ++axis) {
    int64_t window = 1, in_window = 0;
    if (is_window_axis(numbers, static_cast<int64_t>(axis))) {
      const auto update_axis = static_cast<size_t>(numbers.offset_dims[next++]);
      window = geometry.result_dims[update_axis];
      in_window = update_index[update_axis];
    }
    if (to[axis] < 0 || to[axis] > geometry.operand_dims[axis] - window) return -1;
    offset = offset * geometry.operand_dims[axis] + to[axis] + in_window;
  }
  return offset;
}

}  // namespace kernels
}  // namespace systolic::inline v0
