// Matrix products of bf16 by a processor's matrix unit (AMX: Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 1, chapter 18). Internal.
//
// The unit has eight tiles of 16 rows of 64 bytes. One instruction multiplies a tile of 16 x 32
// bf16 with one of 32 x 16, whose rows are interleaved in pairs, and adds the product to a tile of
// 16 x 16 f32. What this header calls a block is 32 x 32 results: four tiles, which two tiles of
// each operand feed.
#pragma once

#include <cstdint>
#include <limits>

#include "systolic/core/float_types.h"

namespace systolic::inline v0 {
namespace kernels {
namespace amx {

inline constexpr int64_t tile_edge = 16;   // rows of a tile; columns of one of results
inline constexpr int64_t block_edge = 32;  // rows and columns of a block
inline constexpr int64_t step_depth = 32;  // of k, in one instruction
// bf16 of one step of an operand's panel: two tiles.
inline constexpr int64_t step_elements = block_edge * step_depth;

// Whether the processor has the unit, the system lets this process use it, and SYSTOLIC_ISA does
// not forbid it; or whether it is emulated (instruction_set.h).
bool is_available();

// While one lives, the calling thread's tiles have the shape that multiply() needs. The shape they
// had before (oneDNN's) comes back at the end.
class TileShape {
 public:
  TileShape();
  ~TileShape();
  TileShape(const TileShape&) = delete;
  TileShape& operator=(const TileShape&) = delete;

 private:
  alignas(64) unsigned char before_[64];
};

// 32 rows of the left operand: the tile of rows [0, 16) of step s lies at data + s * step, its rows
// `row` apart, and the tile of rows [16, 32) starts `second` further. All in elements.
struct LeftPanel {
  const bfloat16* data = nullptr;
  int64_t row = step_depth, step = step_elements, second = step_elements / 2;
};

// 32 columns of the right operand: the tile of columns [0, 16) of step s lies at data + s * step,
// 512 elements without gaps: [k / 2][column][k % 2]; that of columns [16, 32) starts `second`
// further.
struct RightPanel {
  const bfloat16* data = nullptr;
  int64_t step = step_elements, second = step_elements / 2;
};

// sums[32][32] (+)= left x right over `steps` steps; adds if `add` is set. Where rows <= 16 the
// lower tiles, and where columns <= 16 the right ones, are neither read nor computed. sums: 64-byte
// aligned.
void multiply(const LeftPanel& left, const RightPanel& right, int64_t steps, int64_t rows,
              int64_t columns, bool add, float* sums);

// Packs `rows` <= 32 rows and `depth` columns of the left operand, element (i, k) at source + i *
// row + k * column, where one of row and column is 1 or there is only one of them, into a LeftPanel
// of the default strides. Incomplete tiles are filled with 0.
void pack_left(const bfloat16* source, int64_t row, int64_t column, int64_t rows, int64_t depth,
               bfloat16* panel);
// The same for `columns` <= 32 columns of the right operand, element (k, j) at source + k * row + j
// * column, into a RightPanel whose tiles lie `step` and `second` apart. T: bfloat16, or float,
// which is rounded to nearest.
struct PackedRight {
  bfloat16* data = nullptr;
  int64_t step = step_elements, second = step_elements / 2;
};
template <class T>
void pack_right(const T* source, int64_t row, int64_t column, int64_t depth, int64_t columns,
                const PackedRight& panel);

// Stores a block's sums: out[i * row + j] = max(sums[i][j] + bias[j], least), rounded to nearest,
// for `rows` x `columns` of them. bias: null, or as many floats as there are columns.
struct BlockEnd {
  const float* bias = nullptr;
  float least = -std::numeric_limits<float>::infinity();
};
void write_block(const float* sums, int64_t rows, int64_t columns, const BlockEnd& end,
                 bfloat16* out, int64_t row);
void write_block(const float* sums, int64_t rows, int64_t columns, const BlockEnd& end, float* out,
                 int64_t row);

}  // namespace amx
}  // namespace kernels
}  // namespace systolic::inline v0
