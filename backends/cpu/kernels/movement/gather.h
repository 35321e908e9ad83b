// Gather and scatter as StableHLO defines them, with a fast path for whole rows (embedding tables),
// and stable sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cpu/kernels/reduce/reduce.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// output[n, :] = table[clamp(indices[n]), :]; table [rows, row_elements]. indices i32, i64, u32,
// ...
void gather_rows(int element_bytes, const void* table, int64_t rows, int64_t row_elements,
                 DType index_dtype, const void* indices, int64_t count, void* output,
                 ThreadPool& pool);
// table[indices[n], :] += updates[n, :] in the order of n; indices outside [0, rows) are skipped.
// Each row's sum is taken by one thread, so that the result does not depend on their number. f32,
// bf16, f16, f64 and integers.
void scatter_add_rows(DType dtype, void* table, int64_t rows, int64_t row_elements,
                      DType index_dtype, const void* indices, int64_t count, const void* updates,
                      ThreadPool& pool);
// table[indices[n], :] = updates[n, :] in the order of n, of any type of this width; indices
// outside are skipped.
void scatter_set_rows(int element_bytes, void* table, int64_t rows, int64_t row_elements,
                      DType index_dtype, const void* indices, int64_t count, const void* updates,
                      ThreadPool& pool);

// Dimension numbers of StableHLO gather (spec: "gather"); the same names. For scatter: offset_dims
// are update_window_dims, collapsed_slice_dims inserted_window_dims, operand_batching_dims
// input_batching_dims, start_indices_batching_dims scatter_indices_batching_dims, start_index_map
// scatter_dims_to_operand_dims.
struct GatherNumbers {
  std::vector<int64_t> offset_dims;
  std::vector<int64_t> collapsed_slice_dims;
  std::vector<int64_t> operand_batching_dims;
  std::vector<int64_t> start_indices_batching_dims;
  std::vector<int64_t> start_index_map;
  int64_t index_vector_dim = 0;
};

// Shapes of one gather or scatter. `result_dims` are those of the gather's result, or of the
// scatter's updates.
struct GatherGeometry {
  GatherNumbers numbers;
  std::vector<int64_t> operand_dims;
  std::vector<int64_t> indices_dims;
  std::vector<int64_t> slice_sizes;  // gather only; for a scatter they follow from the updates
  std::vector<int64_t> result_dims;
};

// Start indices are clamped so that slices lie inside.
void gather(const GatherGeometry& geometry, int element_bytes, const void* operand,
            DType index_dtype, const void* indices, void* output, ThreadPool& pool);

// The number of parts in which a gather may run, where part i reads the i-th part of the operand
// and of the indices, and writes the i-th of the result: rows of take_along_axis. 0: it runs whole.
int64_t gather_parts(const GatherGeometry& geometry, DType index_dtype);
// Runs parts [begin, end) of them, on the calling thread.
void gather_range(const GatherGeometry& geometry, int element_bytes, const void* operand,
                  DType index_dtype, const void* indices, void* output, int64_t begin, int64_t end);

// How an update is combined with the element that it meets.
enum class ScatterKind : uint8_t { set, sum, product, maximum, minimum, and_, or_ };
// output starts as a copy of operand (skipped when they are the same memory); windows that do not
// lie inside as a whole are skipped, as XLA does (the specification skips their elements outside);
// they are applied in row-major order of the updates, one after another.
void scatter(const GatherGeometry& geometry, ScatterKind kind, DType dtype, const void* operand,
             DType index_dtype, const void* indices, const void* updates, void* output,
             ThreadPool& pool);

// The element of the operand that the element of the updates at `update_index` goes to; -1: its
// window does not lie inside as a whole.
int64_t scatter_target(const GatherGeometry& geometry, DType index_dtype, const void* indices,
                       std::span<const int64_t> update_index);

struct SortOrder {
  bool descending = false;
  // IEEE 754's totalOrder: -NaN, -infinity, ..., -0, 0, ..., infinity, NaN. Otherwise -0 = 0, and
  // all NaN are last (first when descending).
  bool total = false;
};
// Sorts `rows` rows of `columns` elements by key, stably. permutation[r, c] (i32) receives the
// column the c-th smallest came from. keys_out may be keys or null.
size_t sort_scratch_bytes(DType dtype, int64_t rows, int64_t columns);
void sort_rows(DType dtype, const void* keys, SortOrder order, int64_t rows, int64_t columns,
               void* keys_out, int32_t* permutation, void* scratch, ThreadPool& pool);
// output[r, c] = input[r, permutation[r, c]]: carries further operands along.
void permute_rows(int element_bytes, const void* input, const int32_t* permutation, int64_t rows,
                  int64_t columns, void* output, ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
