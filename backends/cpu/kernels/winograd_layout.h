// Where the transformed tiles of a Winograd convolution lie in scratch memory, and how large they
// are. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/winograd_kernels.h"

namespace systolic::inline v0 {
namespace kernels {

constexpr int64_t round_up_to(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

// An array [36][tiles][channels] whose strides keep apart, in the caches' sets, what is read
// together: rows and positions are an odd number of 64-byte lines long.
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

// Hands out pieces of scratch memory one after the other; without memory it only counts.
class ScratchCursor {
 public:
  explicit ScratchCursor(void* memory) : memory_(static_cast<float*>(memory)) {}
  float* take(int64_t floats) {
    float* result = memory_ == nullptr ? nullptr : memory_ + taken_;
    taken_ += round_up_to(floats, 16);
    return result;
  }
  int64_t taken() const { return taken_; }

 private:
  float* memory_;
  int64_t taken_ = 0;
};

}  // namespace kernels
}  // namespace systolic::inline v0
