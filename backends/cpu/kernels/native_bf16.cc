#include "backends/cpu/kernels/native_bf16.h"

#include <cstring>

#include "backends/cpu/kernels/instruction_set.h"
#include "backends/cpu/kernels/onednn.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC 12 takes the undefined values in its own header for mistakes (its bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace systolic::inline v0 {
namespace kernels {

#if defined(__x86_64__)
namespace {

template <bool stream>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512bf16"))) void narrow_vectors(
    const float* source, bfloat16* target, int64_t count) {
  constexpr int subnormal = 0x20;  // which the instruction takes for 0
  for (int64_t i = 0; i < count; i += 32) {
    const __m512 low = _mm512_loadu_ps(source + i), high = _mm512_loadu_ps(source + i + 16);
    if (_mm512_fpclass_ps_mask(low, subnormal) != 0 ||
        _mm512_fpclass_ps_mask(high, subnormal) != 0) {
      for (int64_t j = i; j < i + 32; ++j) target[j] = bfloat16(source[j]);
      continue;
    }
    const __m512bh rounded = _mm512_cvtne2ps_pbh(high, low);
    __m512i bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    if constexpr (stream) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(target + i), bits);
    } else {
      _mm512_storeu_si512(target + i, bits);
    }
  }
  if constexpr (stream) _mm_sfence();
}

// Of `count` numbers, those that are rounded 32 at a time.
int64_t whole_vectors(int64_t count) {
  static const bool can = [] {
    limit_instruction_set();
    return onednn_knows_bf16();
  }();
  return can ? count / 32 * 32 : 0;
}

}  // namespace

int64_t narrow_bf16_natively(const float* source, bfloat16* target, int64_t count) {
  const int64_t whole = whole_vectors(count);
  if (whole > 0) narrow_vectors<false>(source, target, whole);
  return whole;
}

int64_t stream_bf16_natively(const float* source, bfloat16* target, int64_t count) {
  const int64_t whole = reinterpret_cast<uintptr_t>(target) % 64 == 0 ? whole_vectors(count) : 0;
  if (whole > 0) narrow_vectors<true>(source, target, whole);
  return whole;
}

#else

int64_t narrow_bf16_natively(const float*, bfloat16*, int64_t) { return 0; }
int64_t stream_bf16_natively(const float*, bfloat16*, int64_t) { return 0; }

#endif

}  // namespace kernels
}  // namespace systolic::inline v0
