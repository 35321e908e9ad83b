// Where the transformed tiles of a Winograd convolution lie in scratch memory, and how large they
// are. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/scratch_cursor.h"
#include "backends/cpu/kernels/winograd/winograd_kernels.h"

namespace systolic::inline v0 {
namespace kernels {

// An array [36][tiles][channels] whose strides place what is read together in different sets of the
// caches: rows and positions are an odd number of 64-byte lines long.
struct WinogradBuffer {
  WinogradBuffer() = default;
  WinogradBuffer(int64_t tiles, int64_t channels)
      : tile_stride(odd_lines(channels)), position_stride(odd_lines(tiles * tile_stride)) {}
  int64_t floats() const { return winograd_positions * position_stride; }
  WinogradTiles at(float* data, int64_t first_tile = 0) const {
    return {data + first_tile * tile_stride, position_stride, tile_stride};
  }
  static int64_t odd_lines(int64_t floats) { return ((floats + 15) / 16 | 1) * 16; }

  int64_t tile_stride = 0, position_stride = 0;
};

}  // namespace kernels
}  // namespace systolic::inline v0
