// How tile programs read and write arrays: positions of an iteration space, collapsed to as few
// axes as the strides allow, and moved tile by tile.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "backends/cpu/kernels/movement/layout.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// Elements of a row-major space mapped to elements of an array, by strides.
struct TileAccess {
  enum class Kind : uint8_t {
    contiguous,  // array[position + offset]
    scalar,      // array[offset]
    repeated,    // array[position % sizes[1] + offset]: a row for every row, at most a tile long
    strided,     // the general case
    row_sums,    // a table [sizes[0], sizes[1]] that is summed as it is read; see row_sums()
    drawn,       // word position of what Philox draws from the sizes[0] words of a state
  };
  Kind kind = Kind::contiguous;
  int axes = 0;
  std::array<int64_t, max_axes> sizes{};
  std::array<int64_t, max_axes> strides{};
  int64_t offset = 0;
};

// Most elements of a tile; a multiple of 64.
inline constexpr int64_t max_tile_elements = 512;
// Kernels compute so many elements at a time, or a multiple.
inline constexpr int64_t tile_group = 16;
constexpr int64_t padded_to_group(int64_t count) {
  return (count + tile_group - 1) / tile_group * tile_group;
}

TileAccess make_tile_access(std::span<const int64_t> dims, std::span<const int64_t> strides,
                            int64_t offset);

// slot[k] = array element of position begin + k, widened to the compute type of `dtype`, for k <
// count (at most max_tile_elements); zeros up to the next multiple of 16.
void load_tile(const TileAccess& access, DType dtype, const void* array, int64_t begin,
               int64_t count, void* slot);
// The reverse: `slot` holds values of the compute type of `dtype`.
void store_tile(const TileAccess& access, DType dtype, void* array, int64_t begin, int64_t count,
                const void* slot);
// slot[k] = (begin + k) / inner % size, as `dtype`.
void iota_tile(DType dtype, int64_t inner, int64_t size, int64_t begin, int64_t count, void* slot);

// Contiguous conversion between a stored type and its compute type; storage and compute do not
// overlap.
void widen(DType dtype, const void* stored, void* computed, int64_t count);
void narrow(DType dtype, const void* computed, void* stored, int64_t count);

}  // namespace kernels
}  // namespace systolic::inline v0
