#include "backends/cpu/kernels/movement/row_sums.h"

#include <algorithm>

#include "backends/cpu/kernels/movement/index_at.h"

namespace systolic::inline v0 {
namespace kernels {

void list_updates(DType index_dtype, const void* indices, int64_t count, int64_t rows,
                  int32_t* lists) {
  int32_t *first = lists + row_mark_elements(rows), *next = first + rows;
  std::fill_n(lists, row_mark_elements(rows), 0);
  // Rows lie far apart: the memory of later ones is asked for early.
  constexpr int64_t ahead = 16;
  const auto fetch = [&](int64_t n) {
    const int64_t row = index_at(index_dtype, indices, n);
    if (row >= 0 && row < rows) __builtin_prefetch(first + row, 1);
  };
  // From the last, so that each list is in the order of the updates.
  for (int64_t n = count; n-- > 0;) {
    if (n >= ahead) fetch(n - ahead);
    const int64_t row = index_at(index_dtype, indices, n);
    next[n] = -1;
    if (row < 0 || row >= rows) continue;
    if (has_updates(lists, row)) next[n] = first[row];
    lists[row / 32] = static_cast<int32_t>(static_cast<uint32_t>(lists[row / 32]) | 1U << row % 32);
    first[row] = static_cast<int32_t>(n);
  }
}

void read_row_sums(const int32_t* lists, int64_t rows, const float* updates, int64_t width,
                   int64_t begin, int64_t count, float* output) {
  std::fill_n(output, count, 0.0F);
  const int32_t *first = lists + row_mark_elements(rows), *next = first + rows;
  for (int64_t row = begin / width, column = begin % width; count > 0; ++row, column = 0) {
    const int64_t length = std::min(count, width - column);
    for (int32_t n = has_updates(lists, row) ? first[row] : -1; n >= 0; n = next[n]) {
      const float* update = updates + n * width + column;
      for (int64_t k = 0; k < length; ++k) output[k] += update[k];
    }
    output += length;
    count -= length;
  }
}

}  // namespace kernels
}  // namespace systolic::inline v0
