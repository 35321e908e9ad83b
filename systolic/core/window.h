// The arithmetic of sliding windows along one axis, as convolutions and pooling have it
// (StableHLO's specification, "convolution" and "reduce_window").
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

// Extent of an axis of `size` whose neighbours are spaced `by` apart: (size - 1) * by + 1.
constexpr int64_t dilated(int64_t size, int64_t by) { return size == 0 ? 0 : (size - 1) * by + 1; }

// A window along one axis. Padding may be negative: elements are cut off.
struct WindowAxis {
  int64_t window = 1;
  int64_t stride = 1;
  int64_t base_dilation = 1;  // of the array
  int64_t window_dilation = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;

  // From the window's first to its last element.
  int64_t reach() const { return dilated(window, window_dilation); }

  // The element of an axis of `size` under element `in_window` of the window at `position`; -1 in
  // the padding and between dilated elements.
  int64_t element_at(int64_t position, int64_t in_window, int64_t size) const {
    const int64_t place = position * stride + in_window * window_dilation - padding_low;
    if (place < 0 || place % base_dilation != 0) return -1;
    return place / base_dilation < size ? place / base_dilation : -1;
  }
};

// Positions of the window along an axis of `size`, at least 0:
// (padding_low + dilated(size, base_dilation) + padding_high - reach()) / stride + 1
// Sizes beyond 2^63 - 1 become that number.
int64_t window_count(int64_t size, const WindowAxis& axis);

}  // namespace systolic::inline v0
