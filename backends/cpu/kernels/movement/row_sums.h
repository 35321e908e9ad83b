// Tables most of whose rows are zero: each row is the sum of the updates that name it, and is
// summed when it is read. The gradient of an embedding is such a table, and is never stored.
//
//   std::vector<int32_t> lists(row_list_elements(rows, count));
//   list_updates(DType::i32, ids, count, rows, lists.data());
//   read_row_sums(lists.data(), rows, updates, width, begin, elements, output);
#pragma once

#include <cstdint>

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// i32 elements that the lists of `count` updates of `rows` rows take.
constexpr int64_t row_list_elements(int64_t rows, int64_t count) { return rows + count; }

// For each row its first update, then for each update the next one of the same row; -1: none.
// indices [count] of any integer type; those outside [0, rows) are in no list. rows and count are
// below 2^31.
void list_updates(DType index_dtype, const void* indices, int64_t count, int64_t rows,
                  int32_t* lists);

// output[k] = element begin + k of the table [rows, width], for k < count: zero and then the
// updates [count of them, width] of its row, added in their order, as scatter_add_rows does.
void read_row_sums(const int32_t* lists, int64_t rows, const float* updates, int64_t width,
                   int64_t begin, int64_t count, float* output);

}  // namespace kernels
}  // namespace systolic::inline v0
