// The first few of sorted rows, without sorting the others.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/movement/gather.h"

namespace systolic::inline v0 {
namespace kernels {

// Whether top_rows() takes such rows and is faster than sorting them: real keys of up to 32 bits,
// and `count` small compared with the columns.
bool selects_top(DType dtype, int64_t columns, int64_t count);

// permutation[r, c] of [rows, columns], for c < count: what sort_rows() gives there. The rest is
// not written.
void top_rows(DType dtype, const void* keys, SortOrder order, int64_t rows, int64_t columns,
              int64_t count, int32_t* permutation, ThreadPool& pool);

// output[r, c] = input[r, permutation[r, c]] for c < count, all of [rows, columns].
void permute_top(int element_bytes, const void* input, const int32_t* permutation, int64_t rows,
                 int64_t columns, int64_t count, void* output, ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
