// Arrays of bf16 and f16 to and from f32, vectorized; rounding to nearest, ties to even.
#pragma once

#include <cstdint>

#include "systolic/core/float_types.h"

namespace systolic::inline v0 {
namespace kernels {

void bf16_to_f32(const bfloat16* from, float* to, int64_t count);
void f32_to_bf16(const float* from, bfloat16* to, int64_t count);
void f16_to_f32(const float16* from, float* to, int64_t count);
void f32_to_f16(const float* from, float16* to, int64_t count);

}  // namespace kernels
}  // namespace systolic::inline v0
