// Runs of numbers between the small floats and float, vectorized.
#pragma once

#include <cstdint>

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// target[i] = source[i] as float; `dtype` is f32, bf16 or f16.
void widen_floats(DType dtype, const void* source, float* target, int64_t count);
// target[i] = source[i] rounded to nearest, ties to even.
void narrow_floats(DType dtype, const float* source, void* target, int64_t count);
// The same for a part of a large array that nothing reads soon: bypasses the caches where the
// processor can do so (bf16 by its own instruction, `target` at a multiple of 64 bytes).
void narrow_floats_streaming(DType dtype, const float* source, void* target, int64_t count);

}  // namespace kernels
}  // namespace systolic::inline v0
