// Windows of pictures as rows, and back (keras.ops.unfold, fold), and keras.ops.image: patches and
// colours of pictures.
//
//   Tensor rows = ops::image::extract_patches(x, {.size = {4, 4}});    // [batch, 7, 7, 16
//   channels]
#pragma once

#include <cstdint>

#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/size2.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

struct UnfoldOptions {
  Size2 kernel_size;   // height and width of a window
  Size2 dilation = 1;  // how far apart its elements are
  Size2 padding = 0;   // zeros on both sides
  Size2 stride = 1;    // from one window to the next
};
// Channels first: [batch, channels, height, width] -> [batch, channels * kernel, windows].
Tensor unfold(const Tensor& x, UnfoldOptions options, At at = At::current());
// The sum of the windows' elements at each place of a picture of `output_size`.
Tensor fold(const Tensor& x, Size2 output_size, UnfoldOptions options, At at = At::current());

namespace image {

struct PatchOptions {
  Size2 size;                 // height and width of a patch
  Size2 strides = 0;          // 0: the size
  Size2 dilation_rate = 1;    // how far apart its elements are
  Padding padding = "valid";  // or "same"
};
// [batch, height, width, channels] -> [batch, rows, columns, size * channels].
Tensor extract_patches(const Tensor& x, PatchOptions options, At at = At::current());

// [batch, height, width, 3] of floats in [0, 1].
Tensor rgb_to_grayscale(const Tensor& x, At at = At::current());  // one channel
Tensor rgb_to_hsv(const Tensor& x, At at = At::current());
Tensor hsv_to_rgb(const Tensor& x, At at = At::current());

}  // namespace image
}  // namespace ops
}  // namespace systolic::inline v0
