// The matrix unit's instructions, by the numbers of its tiles, for the files that use them.
// Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backends/cpu/kernels/amx/amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>

// GCC 12 takes the undefined values in its own header for mistakes (its bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Functions that are only called where is_available().
#define SYSTOLIC_AMX \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")))

namespace systolic::inline v0 {
namespace kernels {
namespace amx {

template <int tile>
SYSTOLIC_AMX inline void zero() {
  asm volatile("tilezero %%tmm%c0" : : "i"(tile));
}
template <int tile>
SYSTOLIC_AMX inline void load(const void* data, int64_t row_bytes) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(data), "r"(row_bytes), "i"(tile) : "memory");
}
template <int tile>
SYSTOLIC_AMX inline void store(float* data) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
               :
               : "r"(data), "r"(block_edge * int64_t{sizeof(float)}), "i"(tile)
               : "memory");
}
// Tile `sum` += tile `left` x tile `right`.
template <int sum, int left, int right>
SYSTOLIC_AMX inline void multiply_add() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sum), "i"(left), "i"(right));
}

// A mask of the first `count` of 32 lanes, and of the 16 lanes of its two halves.
constexpr uint32_t first_lanes(int64_t count) {
  return count >= 32 ? ~uint32_t{0} : (uint32_t{1} << std::max<int64_t>(count, 0)) - 1;
}
constexpr __mmask16 low_lanes(int64_t count) { return static_cast<__mmask16>(first_lanes(count)); }
constexpr __mmask16 high_lanes(int64_t count) {
  return static_cast<__mmask16>(first_lanes(count) >> 16);
}

// 32 floats as bf16, rounded to nearest: `low` first.
SYSTOLIC_AMX inline __m512i rounded(__m512 low, __m512 high) {
  const __m512bh pair = _mm512_cvtne2ps_pbh(high, low);
  __m512i bits;
  std::memcpy(&bits, &pair, sizeof bits);
  return bits;
}

// The words of two rows, interleaved: columns [0, 16) and [16, 32).
SYSTOLIC_AMX inline void interleave(__m512i first, __m512i second, __m512i& low, __m512i& high) {
  const __m512i a = _mm512_unpacklo_epi16(first, second);
  const __m512i b = _mm512_unpackhi_epi16(first, second);
  const __m512i low_pairs = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i high_pairs = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  low = _mm512_permutex2var_epi64(a, low_pairs, b);
  high = _mm512_permutex2var_epi64(a, high_pairs, b);
}

}  // namespace amx
}  // namespace kernels
}  // namespace systolic::inline v0
#endif
