// Products of f32 by the matrix unit (amx.h), each number in three of bf16. Internal.
//
// x = high + middle + low, each rounded to nearest from what the ones before leave: eight bits of
// mantissa each, all 24 together. Six of the nine products of parts are summed; those left out are
// below 2^-23 |x y|. (Henry, Tang, Heinecke, "Leveraging the bfloat16 Artificial Intelligence
// Datatype For Higher-Precision Computations", ARITH 2019; what StableHLO's dot_algorithm names
// with three components of each side and six primitive operations.)
//
// The unit treats numbers below 2^-126 as 0, and the last bit of a number may be 2^-23 of it:
// numbers, and products of two, below 2^-103 lose bits. Infinity, NaN and numbers from 2^127 on,
// which a bf16 may round to infinity, have no such parts.
#pragma once

#include <cstdint>

#include "systolic/core/float_types.h"

namespace systolic::inline v0 {
namespace kernels {
namespace amx {

// The elements of one step (amx.h) of a panel of split numbers, in bf16: the high parts' two tiles,
// then those of the middle and of the low ones.
inline constexpr int64_t split_step_elements = 3 * 32 * 32;

// Memory to prefetch while a block is multiplied: `lines` lines of 64 bytes from `data` on.
struct Ahead {
  const bfloat16* data = nullptr;
  int64_t lines = 0;
};

// sums[32][32] = left x right over `steps` steps of two panels. The small products are summed
// first, so that they are rounded at their own size before the large ones are added. sums: 64-byte
// aligned.
void multiply_split(const bfloat16* left, const bfloat16* right, int64_t steps, const Ahead& ahead,
                    float* sums);

// Splits and packs `rows` <= 32 rows and `depth` <= 32 columns of the left operand, element (i, k)
// at source + i * row + k * column, where one of row and column is 1, into a step of a panel.
// Incomplete tiles are filled with 0. False where a number has no such parts.
bool split_left(const float* source, int64_t row, int64_t column, int64_t rows, int64_t depth,
                bfloat16* step);
// The same of the right operand, element (k, j) at source + k * row + j * column.
bool split_right(const float* source, int64_t row, int64_t column, int64_t depth, int64_t columns,
                 bfloat16* step);

}  // namespace amx
}  // namespace kernels
}  // namespace systolic::inline v0
