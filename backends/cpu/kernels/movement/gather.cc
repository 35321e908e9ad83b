#include "backends/cpu/kernels/movement/gather.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/movement/gather_lanes.h"
#include "backends/cpu/kernels/movement/index_at.h"
#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/kernels/reduce/reduce_combine.h"
#include "systolic/base/error.h"
#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

void in_pieces(int64_t count, int64_t grain, ThreadPool& pool,
               FunctionRef<void(int64_t, int64_t)> body) {
  if (count <= grain) return body(0, count);
  pool.parallel_for(count, std::max<int64_t>(1, grain), body);
}

constexpr int64_t grain_bytes = 1 << 16;

}  // namespace

void gather_rows(int element_bytes, const void* table, int64_t rows, int64_t row_elements,
                 DType index_dtype, const void* indices, int64_t count, void* output,
                 ThreadPool& pool) {
  const int64_t row_bytes = row_elements * element_bytes;
  if (row_bytes == 0 || count == 0) return;
  ensure(rows > 0, "rows are gathered from a table that has some");
  in_pieces(count, grain_bytes / row_bytes + 1, pool, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const int64_t row = std::clamp<int64_t>(index_at(index_dtype, indices, n), 0, rows - 1);
      std::memcpy(static_cast<char*>(output) + n * row_bytes,
                  static_cast<const char*>(table) + row * row_bytes,
                  static_cast<size_t>(row_bytes));
    }
  });
}

namespace {

// Adds every update to the columns [begin, end) of its row: updates in their order, columns shared
// out.
template <class Stored>
void add_columns(Stored* table, int64_t rows, int64_t row_elements, DType index_dtype,
                 const void* indices, int64_t count, const Stored* updates, int64_t begin,
                 int64_t end) {
  using T = CombineType<Stored>;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t row = index_at(index_dtype, indices, n);
    if (row < 0 || row >= rows) continue;
    Stored* target = table + row * row_elements;
    const Stored* update = updates + n * row_elements;
    for (int64_t j = begin; j < end; ++j) {
      target[j] = convert_element<Stored>(reduce_combine<ReduceKind::sum, T>(
          convert_element<T>(target[j]), convert_element<T>(update[j])));
    }
  }
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
      // At least a cache line of columns, and enough work in all to be worth a thread.
      const int64_t line = 64 / static_cast<int64_t>(sizeof(Stored));
      const int64_t grain = std::max(line, 16384 / std::max<int64_t>(1, count));
      in_pieces(row_elements, grain, pool, [&](int64_t begin, int64_t end) {
        add_columns<Stored>(static_cast<Stored*>(table), rows, row_elements, index_dtype, indices,
                            count, static_cast<const Stored*>(updates), begin, end);
      });
    }
  });
}

namespace {

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

Index row_major_strides(const std::vector<int64_t>& dims) {
  Index strides{};
  int64_t stride = 1;
  for (size_t k = dims.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= dims[k];
  }
  return strides;
}

// Operand axes that a window spans: neither collapsed nor batching.
bool is_window_axis(const GatherNumbers& numbers, int64_t axis) {
  return !has_axis(numbers.collapsed_slice_dims, axis) &&
         !has_axis(numbers.operand_batching_dims, axis);
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

// Where one batch position reads its start index, where its result begins, and the start in the
// operand.
struct BatchPosition {
  int64_t index_offset = 0, result_offset = 0;
  Index start{};
};

BatchPosition batch_position(const WindowLoops& loops, DType index_dtype, const void* indices,
                             int64_t position) {
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

// Whether windows are runs of the operand and of the result alike: then they are copied whole.
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

// A row of single elements: along the last batch axis only the indices change, and the place in an
// axis that is batched.
template <class T, class I>
void gather_row(const WindowLoops& loops, const BatchPosition& row, const I* indices,
                const T* source, T* result) {
  const int last = loops.batch_rank - 1;
  int64_t base = 0;
  for (int b = 0; b < last; ++b) {
    const int64_t axis = loops.batch_operand_axis[b];
    if (axis >= 0) base += row.start[axis] * loops.operand_strides[axis];
  }
  const int64_t batched = loops.batch_operand_axis[last], count = loops.batch_sizes[last];
  const int64_t step = batched >= 0 ? loops.operand_strides[batched] : 0;
  const int64_t index_step = loops.batch_index_strides[last];
  const int64_t to_step = loops.batch_result_strides[last];
  const I* index = indices + row.index_offset;
  T* to = result + row.result_offset;
  const T* from = source + base;
  if (loops.index_size == 1) {
    const int64_t axis = loops.start_axis[0], stride = loops.operand_strides[axis];
    const int64_t end = loops.operand_dims[axis] - 1;
    if (step == 0 && stride == 1 && index_step == 1 && to_step == 1) {
      if constexpr (sizeof(T) == 4 && std::is_same_v<I, int32_t>) {
        const auto most = static_cast<int64_t>(std::numeric_limits<int32_t>::max());
        return pick_elements(reinterpret_cast<const int32_t*>(from), index,
                             static_cast<int32_t>(std::min(end, most)), count,
                             reinterpret_cast<int32_t*>(to));
      }
      for (int64_t j = 0; j < count; ++j) to[j] = from[std::clamp<int64_t>(index[j], 0, end)];
      return;
    }
    for (int64_t j = 0; j < count; ++j) {
      const auto at = std::clamp<int64_t>(index[j * index_step], 0, end);
      to[j * to_step] = from[j * step + at * stride];
    }
    return;
  }
  for (int64_t j = 0; j < count; ++j) {
    int64_t at = j * step;
    for (int c = 0; c < loops.index_size; ++c) {
      const int64_t axis = loops.start_axis[c];
      const auto component = static_cast<int64_t>(index[c * loops.index_component_stride]);
      at += std::clamp<int64_t>(component, 0, loops.operand_dims[axis] - 1) *
            loops.operand_strides[axis];
    }
    to[j * to_step] = from[at];
    index += index_step;
  }
}

// Slices of one element by 32- or 64-bit indices, as of take_along_axis. False where they are none.
template <class T>
bool gather_elements(const WindowLoops& loops, DType index_dtype, const void* indices,
                     const T* source, T* result, ThreadPool& pool) {
  const bool known = index_dtype == DType::i32 || index_dtype == DType::i64;
  if (loops.window_count != 1 || loops.batch_rank == 0 || !known) return false;
  const int64_t row = loops.batch_sizes[loops.batch_rank - 1];
  const int64_t grain = grain_bytes / (row * static_cast<int64_t>(sizeof(T))) + 1;
  in_pieces(loops.batch_count / row, grain, pool, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const BatchPosition at = batch_position(loops, index_dtype, indices, i * row);
      if (index_dtype == DType::i32) {
        gather_row(loops, at, static_cast<const int32_t*>(indices), source, result);
      } else {
        gather_row(loops, at, static_cast<const int64_t*>(indices), source, result);
      }
    }
  });
  return true;
}

// Where each batch position's window begins, in the operand and in the result.
struct WindowPlaces {
  std::vector<int64_t> from, to;
};

WindowPlaces window_places(const WindowLoops& loops, DType index_dtype, const void* indices) {
  WindowPlaces places;
  for (int64_t position = 0; position < loops.batch_count; ++position) {
    const BatchPosition at = batch_position(loops, index_dtype, indices, position);
    int64_t start = 0;
    for (int k = 0; k < loops.operand_rank; ++k) {
      const int64_t last = loops.operand_dims[k] - loops.slice_sizes[k];
      start += std::clamp<int64_t>(at.start[k], 0, last) * loops.operand_strides[k];
    }
    places.from.push_back(start);
    places.to.push_back(at.result_offset);
  }
  return places;
}

// Where element `n` of a window is, from where the window begins.
struct WindowElement {
  int64_t from = 0, to = 0;
};
WindowElement window_element(const WindowLoops& loops, int64_t n) {
  WindowElement element;
  for (int w = loops.window_rank - 1; w >= 0; --w) {
    const int64_t i = n % loops.window_sizes[w];
    n /= loops.window_sizes[w];
    element.from += i * loops.operand_strides[loops.window_axes[w]];
    element.to += i * loops.window_result_strides[w];
  }
  return element;
}

// Windows that lie beside each other in the result, as the columns that x[:, i] takes: element by
// element, so that the result is written from its beginning to its end. False where they lie
// otherwise, or are few.
template <class T>
bool gather_columns(const WindowLoops& loops, DType index_dtype, const void* indices,
                    const T* source, T* result, ThreadPool& pool) {
  constexpr int64_t least = 4, most = 1 << 16;  // windows
  int last = loops.batch_rank - 1;
  while (last >= 0 && loops.batch_sizes[last] == 1) --last;
  const bool beside = last >= 0 && loops.batch_result_strides[last] == 1;
  if (!beside || loops.batch_count < least || loops.batch_count > most) return false;
  const WindowPlaces places = window_places(loops, index_dtype, indices);
  const int64_t grain = grain_bytes / (loops.batch_count * static_cast<int64_t>(sizeof(T))) + 1;
  in_pieces(loops.window_count, grain, pool, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const WindowElement element = window_element(loops, i);
      const T* row = source + element.from;
      T* target = result + element.to;
      for (size_t n = 0; n < places.from.size(); ++n) target[places.to[n]] = row[places.from[n]];
    }
  });
  return true;
}

int64_t product(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t size : dims) count *= size;
  return count;
}

}  // namespace

void gather(const GatherGeometry& geometry, int element_bytes, const void* operand,
            DType index_dtype, const void* indices, void* output, ThreadPool& pool) {
  if (product(geometry.result_dims) == 0) return;
  const WindowLoops loops = make_loops(geometry);
  const bool whole = windows_are_contiguous(loops);
  visit_width(element_bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = static_cast<const T*>(operand);
    T* result = static_cast<T*>(output);
    if (gather_elements(loops, index_dtype, indices, source, result, pool)) return;
    if (!whole && gather_columns(loops, index_dtype, indices, source, result, pool)) return;
    const int64_t grain = grain_bytes / (loops.window_count * static_cast<int64_t>(sizeof(T))) + 1;
    in_pieces(loops.batch_count, grain, pool, [&](int64_t begin, int64_t end) {
      for (int64_t position = begin; position < end; ++position) {
        const BatchPosition at = batch_position(loops, index_dtype, indices, position);
        int64_t start = 0;
        for (int k = 0; k < loops.operand_rank; ++k) {
          const int64_t last = loops.operand_dims[k] - loops.slice_sizes[k];
          start += std::clamp<int64_t>(at.start[k], 0, last) * loops.operand_strides[k];
        }
        const T* from = source + start;
        T* to = result + at.result_offset;
        if (whole) {
          std::copy_n(from, loops.window_count, to);
        } else {
          for_each_window_element(loops, [&](int64_t f, int64_t t) { to[t] = from[f]; });
        }
      }
    });
  });
}

namespace {

// The reduction behind a kind of scatter; nothing for set.
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

// Applies the updates of one window that reaches over the edge: those inside.
template <class Visit>
void for_each_inside(const WindowLoops& loops, const BatchPosition& at, Visit&& visit) {
  for (int64_t n = 0; n < loops.window_count; ++n) {
    Index place = at.start;
    int64_t rest = n, update = 0;
    for (int w = loops.window_rank - 1; w >= 0; --w) {
      const int64_t i = rest % loops.window_sizes[w];
      rest /= loops.window_sizes[w];
      place[loops.window_axes[w]] += i;
      update += i * loops.window_result_strides[w];
    }
    int64_t target = 0;
    bool inside = true;
    for (int k = 0; k < loops.operand_rank; ++k) {
      inside = inside && place[k] >= 0 && place[k] < loops.operand_dims[k];
      target += place[k] * loops.operand_strides[k];
    }
    if (inside) visit(target, update);
  }
}

// Applies every update in turn; update(target element, update element) combines them.
template <class Stored, class Update>
void scatter_all(const WindowLoops& loops, DType index_dtype, const void* indices,
                 const Stored* updates, Stored* output, Update update) {
  for (int64_t position = 0; position < loops.batch_count; ++position) {
    const BatchPosition at = batch_position(loops, index_dtype, indices, position);
    int64_t start = 0;
    bool inside = true, reachable = true;
    for (int k = 0; k < loops.operand_rank; ++k) {
      const int64_t size = loops.operand_dims[k], window = loops.slice_sizes[k];
      inside = inside && at.start[k] >= 0 && at.start[k] <= size - window;
      reachable = reachable && at.start[k] > -window && at.start[k] < size;
      if (inside) start += at.start[k] * loops.operand_strides[k];
    }
    if (inside) {
      for_each_window_element(loops, [&](int64_t t, int64_t u) {
        update(output[start + t], updates[at.result_offset + u]);
      });
    } else if (reachable) {
      for_each_inside(loops, at, [&](int64_t t, int64_t u) {
        update(output[t], updates[at.result_offset + u]);
      });
    }
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
  for (size_t axis = 0, next = 0; axis < to.size(); ++axis) {
    if (!is_window_axis(numbers, static_cast<int64_t>(axis))) continue;
    to[axis] += update_index[static_cast<size_t>(numbers.offset_dims[next++])];
  }
  int64_t offset = 0;
  for (size_t axis = 0; axis < to.size(); ++axis) {
    if (to[axis] < 0 || to[axis] >= geometry.operand_dims[axis]) return -1;
    offset = offset * geometry.operand_dims[axis] + to[axis];
  }
  return offset;
}

}  // namespace kernels
}  // namespace systolic::inline v0
