// Rounding to bf16 by the processor's own instruction (AVX512-BF16). Internal.
#pragma once

#include <cstdint>

#include "systolic/core/float_types.h"

namespace systolic::inline v0 {
namespace kernels {

// Rounds those floats of [0, count) that fill whole vectors, to nearest, ties to even, and returns
// how many there are; 0 where the processor has no such instruction.
int64_t narrow_bf16_natively(const float* source, bfloat16* target, int64_t count);
// The same by stores that go around the caches (streaming.h), which are flushed at the end; 0 where
// `target` is not at a multiple of 64 bytes too.
int64_t stream_bf16_natively(const float* source, bfloat16* target, int64_t count);

}  // namespace kernels
}  // namespace systolic::inline v0
