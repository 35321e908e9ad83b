// Sliding windows: 2-D pooling on NHWC f32 with fast paths, and StableHLO's reduce_window and
// select_and_scatter in general.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/cpu/kernels/reduce/reduce.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"
#include "systolic/core/window.h"

namespace systolic::inline v0 {
namespace kernels {

// 2-D pooling of input [batch, height, width, channels]; base and window dilation 1.
struct Pool2D {
  int64_t batch, height, width, channels;
  WindowAxis vertical, horizontal;
  int64_t output_height() const { return window_count(height, vertical); }
  int64_t output_width() const { return window_count(width, horizontal); }
};

// output [batch, output height, output width, channels] f32; positions in the padding count as
// -infinity. NaN propagates.
void max_pool(const Pool2D& pool2d, const float* input, float* output, ThreadPool& pool);
// The sums over the windows; positions in the padding count as 0.
void sum_pool(const Pool2D& pool2d, const float* input, float* output, ThreadPool& pool);
// The gradient goes to the first largest element of each window in row-major order
// (select_and_scatter with GE).
void max_pool_gradient(const Pool2D& pool2d, const float* input, const float* gradient,
                       float* input_gradient, ThreadPool& pool);
// StableHLO reduce_window of one operand: any rank up to 12 and numeric type, `init` (one element)
// is the padding and the start. f32 windows with the neutral init in one axis, or in two side by
// side, take the paths above; those in the last two, NCHW, by planes turned in blocks.
void reduce_window(ReduceKind kind, DType dtype, std::span<const int64_t> dims,
                   std::span<const WindowAxis> axes, const void* input, const void* init,
                   void* output, ThreadPool& pool);

// StableHLO select_and_scatter: `select` is ge (first largest wins; le: first smallest), `scatter`
// combines (usually sum). dims are the operand's; source has the window's output shape; base and
// window dilation are 1.
enum class SelectKind : uint8_t { ge, gt, le, lt };
void select_and_scatter(SelectKind select, ReduceKind scatter, DType dtype,
                        std::span<const int64_t> dims, std::span<const WindowAxis> axes,
                        const void* operand, const void* source, const void* init, void* output,
                        ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
