// A block of a transpose of 32-bit elements, in registers. Internal to copy_strided.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// Columns of a block, and what its rows are a multiple of.
inline constexpr int64_t transpose_unit = 16;

// destination[row * destination_stride + column] = source[column * source_stride + row] for
// `transpose_unit` columns.
void transpose_block(const uint32_t* source, int64_t source_stride, uint32_t* destination,
                     int64_t destination_stride, int64_t rows);

}  // namespace kernels
}  // namespace systolic::inline v0
