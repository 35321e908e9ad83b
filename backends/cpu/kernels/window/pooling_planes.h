// 2-D pooling of f32 whose windows lie in the last two axes, NCHW: blocks of planes are turned so
// that neighbouring elements are those of different planes, and run through the paths of NHWC.
#pragma once

#include "backends/cpu/kernels/window/pooling.h"
#include "systolic/base/threads/thread_pool.h"

namespace systolic::inline v0 {
namespace kernels {

// Of `batch` planes [height, width], one channel each: whether they can be. False where the rows of
// one window are too long for the buffer in which they are turned.
bool fits_planes(const Pool2D& planes);

// As max_pool, sum_pool and max_pool_gradient; the planes fit.
void max_pool_planes(const Pool2D& planes, const float* input, float* output, ThreadPool& pool);
void sum_pool_planes(const Pool2D& planes, const float* input, float* output, ThreadPool& pool);
void max_pool_gradient_planes(const Pool2D& planes, const float* input, const float* gradient,
                              float* input_gradient, ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
