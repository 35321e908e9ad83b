#include "backends/cpu/kernels/movement/gather.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "backends/cpu/kernels/element_width.h"
#include "backends/cpu/kernels/movement/fetch_row.h"
#include "backends/cpu/kernels/movement/gather_lanes.h"
#include "backends/cpu/kernels/movement/index_at.h"
#include "backends/cpu/kernels/movement/window_loops.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t grain_bytes = 1 << 16;

int64_t product(const std::vector<int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
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

// Slices of one element by 32- or 64-bit indices, as of take_along_axis.
bool takes_elements(const WindowLoops& loops, DType index_dtype) {
  const bool known = index_dtype == DType::i32 || index_dtype == DType::i64;
  return known && loops.window_count == 1 && loops.batch_rank > 0;
}

// Rows [begin, end) of such elements: a row is the last batch axis.
template <class T>
void gather_element_rows(const WindowLoops& loops, DType index_dtype, const void* indices,
                         const T* source, T* result, int64_t begin, int64_t end) {
  const int64_t row = loops.batch_sizes[loops.batch_rank - 1];
  for (int64_t i = begin; i < end; ++i) {
    const BatchPosition at = batch_position(loops, index_dtype, indices, i * row);
    if (index_dtype == DType::i32) {
      gather_row(loops, at, static_cast<const int32_t*>(indices), source, result);
    } else {
      gather_row(loops, at, static_cast<const int64_t*>(indices), source, result);
    }
  }
}

// False where they are none.
template <class T>
bool gather_elements(const WindowLoops& loops, DType index_dtype, const void* indices,
                     const T* source, T* result, ThreadPool& pool) {
  if (!takes_elements(loops, index_dtype)) return false;
  const int64_t row = loops.batch_sizes[loops.batch_rank - 1];
  const int64_t grain = grain_bytes / (row * static_cast<int64_t>(sizeof(T))) + 1;
  in_pieces(loops.batch_count / row, grain, pool, [&](int64_t begin, int64_t end) {
    gather_element_rows(loops, index_dtype, indices, source, result, begin, end);
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

// Windows that are adjacent in the result, as the columns that x[:, i] takes: element by
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

}  // namespace

void gather_rows(int element_bytes, const void* table, int64_t rows, int64_t row_elements,
                 DType index_dtype, const void* indices, int64_t count, void* output,
                 ThreadPool& pool) {
  const int64_t row_bytes = row_elements * element_bytes;
  if (row_bytes == 0 || count == 0) return;
  ensure(rows > 0, "rows are gathered from a table that has some");
  const auto row_of = [&](int64_t n) {
    return static_cast<const char*>(table) +
           std::clamp<int64_t>(index_at(index_dtype, indices, n), 0, rows - 1) * row_bytes;
  };
  in_pieces(count, grain_bytes / row_bytes + 1, pool, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      if (n + rows_ahead < end) fetch_row<0>(row_of(n + rows_ahead), row_bytes);
      std::memcpy(static_cast<char*>(output) + n * row_bytes, row_of(n),
                  static_cast<size_t>(row_bytes));
    }
  });
}

int64_t gather_parts(const GatherGeometry& geometry, DType index_dtype) {
  if (product(geometry.result_dims) == 0) return 0;
  const WindowLoops loops = make_loops(geometry);
  if (!takes_elements(loops, index_dtype) || loops.batch_rank < 2) return 0;
  const int64_t size = loops.batch_sizes[0];
  const bool outermost = loops.batch_operand_axis[0] == 0 &&
                         loops.batch_index_strides[0] * size == product(geometry.indices_dims) &&
                         loops.batch_result_strides[0] * size == product(geometry.result_dims);
  return outermost ? size : 0;
}

void gather_range(const GatherGeometry& geometry, int element_bytes, const void* operand,
                  DType index_dtype, const void* indices, void* output, int64_t begin,
                  int64_t end) {
  const WindowLoops loops = make_loops(geometry);
  const int64_t rows =
      loops.batch_count / loops.batch_sizes[0] / loops.batch_sizes[loops.batch_rank - 1];
  visit_width(element_bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    gather_element_rows(loops, index_dtype, indices, static_cast<const T*>(operand),
                        static_cast<T*>(output), begin * rows, end * rows);
  });
}

void gather(const GatherGeometry& geometry, int element_bytes, const void* operand,
            DType index_dtype, const void* indices, void* output, ThreadPool& pool) {
  const auto& dims = geometry.result_dims;
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;
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

}  // namespace kernels
}  // namespace systolic::inline v0
