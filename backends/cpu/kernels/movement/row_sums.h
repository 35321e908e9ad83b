// Tables most of whose rows are zero: each row is the sum of the updates that name it, and is
// summed when it is read. The gradient of an embedding is such a table, and is never stored.
//
//   std::vector<int32_t> lists(row_list_elements(rows, count));
//   list_updates(DType::i32, ids, count, rows, lists.data());
//   read_row_sums(lists.data(), rows, updates, width, begin, elements, output);
//
// A bit says of each row whether it has updates: what the lists cost beside the updates is a bit a
// row.
#pragma once

#include <bit>
#include <cstdint>

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// i32 elements of the rows' bits.
constexpr int64_t row_mark_elements(int64_t rows) { return (rows + 31) / 32; }
// i32 elements that the lists of `count` updates of `rows` rows take.
constexpr int64_t row_list_elements(int64_t rows, int64_t count) {
  return row_mark_elements(rows) + rows + count;
}

// The rows' bits; then for each row that has its bit the first update, else nothing that counts;
// then for each update the next one of the same row; -1: none. indices [count] of any integer type;
// those outside [0, rows) are in no list. rows and count are below 2^31.
void list_updates(DType index_dtype, const void* indices, int64_t count, int64_t rows,
                  int32_t* lists);

inline bool has_updates(const int32_t* lists, int64_t row) {
  return (static_cast<uint32_t>(lists[row / 32]) >> (row % 32) & 1U) != 0;
}

// The first row from `row` on that has updates, or `end`.
inline int64_t next_updated_row(const int32_t* lists, int64_t row, int64_t end) {
  while (row < end) {
    const uint32_t rest = static_cast<uint32_t>(lists[row / 32]) >> (row % 32);
    if (rest != 0) return row + std::countr_zero(rest) < end ? row + std::countr_zero(rest) : end;
    row = (row / 32 + 1) * 32;
  }
  return end;
}

// output[k] = element begin + k of the table [rows, width], for k < count: zero and then the
// updates [count of them, width] of its row, added in their order, as scatter_add_rows does.
void read_row_sums(const int32_t* lists, int64_t rows, const float* updates, int64_t width,
                   int64_t begin, int64_t count, float* output);

}  // namespace kernels
}  // namespace systolic::inline v0
