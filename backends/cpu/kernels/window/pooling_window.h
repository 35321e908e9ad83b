// Which part of an axis a window covers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/window/pooling.h"

namespace systolic::inline v0 {
namespace kernels {

struct PixelRange {
  int64_t begin = 0, end = 0;  // within the array; begin >= end for none
  int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

// The elements of an axis of `size` under the window's position `output`, without dilation.
inline PixelRange pixels_of(const WindowAxis& axis, int64_t output, int64_t size) {
  const int64_t start = output * axis.stride - axis.padding_low;
  return {std::max<int64_t>(0, start), std::min(size, start + axis.window)};
}

}  // namespace kernels
}  // namespace systolic::inline v0
