// 2-D pooling of f32 in NHWC, vectorized over the channels: what one task of pooling.cc runs.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/window/pooling.h"

namespace systolic::inline v0 {
namespace kernels {

// One row of the output (all its columns and channels) from one image.
void max_pool_row(const Pool2D& pool2d, const float* image, int64_t output_y, float* output_row);
// The sums over the window.
void sum_pool_row(const Pool2D& pool2d, const float* image, int64_t output_y, float* output_row);
// For a row of the output, which pixel of the image is the first largest under each window:
// `places` [output width, channels], -1 where the window covers none.
void find_largest_row(const Pool2D& pool2d, const float* image, int64_t output_y, int32_t* places);
// The gradient of one image, for the channels [first, first + count) with count <=
// pool_channel_block; sets all of them.
inline constexpr int64_t pool_channel_block = 64;
void max_pool_gradient_image(const Pool2D& pool2d, const float* image, const float* gradient,
                             float* image_gradient, int64_t first, int64_t count);

}  // namespace kernels
}  // namespace systolic::inline v0
