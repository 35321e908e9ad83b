// The loops of separable resizing, with SIMD.
#pragma once

#include <cstdint>

#include "systolic/image/resize/taps.h"

namespace systolic::inline v0 {
namespace image {

// Applied to every channel's number after resizing: value * scale + offset.
struct ChannelAffine {
  const float* scale = nullptr;  // `step` of each; nullptr: numbers stay
  const float* offset = nullptr;
};

// One plane of `width` pixels a row, `step` numbers a pixel, into out_height rows of out_width.
// T: uint8_t or float.
struct Plane {
  int64_t width, step, out_height, out_width;
};
void resample(const uint8_t* from, const Plane& plane, const Taps& rows, const Taps& columns,
              const ChannelAffine& affine, float* to);
void resample(const float* from, const Plane& plane, const Taps& rows, const Taps& columns,
              const ChannelAffine& affine, float* to);

}  // namespace image
}  // namespace systolic::inline v0
