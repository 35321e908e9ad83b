// The matrix unit's instructions, by the numbers of its tiles, for the files that use them; and the
// same on memory, for tests. Internal.
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

// Who carries an instruction out: the processor's unit, or code that does the same on memory.
struct Hardware {};
struct Emulated {};

template <int tile>
SYSTOLIC_AMX inline void zero(Hardware) {
  asm volatile("tilezero %%tmm%c0" : : "i"(tile));
}
template <int tile>
SYSTOLIC_AMX inline void load(Hardware, const void* data, int64_t row_bytes) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(data), "r"(row_bytes), "i"(tile) : "memory");
}
template <int tile>
SYSTOLIC_AMX inline void store(Hardware, float* data) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
               :
               : "r"(data), "r"(block_edge * int64_t{sizeof(float)}), "i"(tile)
               : "memory");
}
// Tile `sum` += tile `left` x tile `right`.
template <int sum, int left, int right>
SYSTOLIC_AMX inline void multiply_add(Hardware) {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sum), "i"(left), "i"(right));
}

// A row of a tile: 64 bytes.
SYSTOLIC_AMX inline int32_t* emulated_row(int tile, int64_t row) {
  alignas(64) static thread_local int32_t tiles[8][tile_edge * tile_edge];
  return tiles[tile] + row * tile_edge;
}

template <int tile>
SYSTOLIC_AMX void zero(Emulated) {
  std::fill_n(emulated_row(tile, 0), tile_edge * tile_edge, 0);
}
template <int tile>
SYSTOLIC_AMX void load(Emulated, const void* data, int64_t row_bytes) {
  for (int64_t i = 0; i < tile_edge; ++i) {
    std::memcpy(emulated_row(tile, i), static_cast<const char*>(data) + i * row_bytes, 64);
  }
}
template <int tile>
SYSTOLIC_AMX void store(Emulated, float* data) {
  for (int64_t i = 0; i < tile_edge; ++i) {
    std::memcpy(data + i * block_edge, emulated_row(tile, i), 64);
  }
}
// As the manual describes it: even and odd products are summed separately and added to the tile at
// the end; results below the smallest normal number are 0, and rounding is to nearest.
template <int sum, int left, int right>
SYSTOLIC_AMX void multiply_add(Emulated) {
  constexpr unsigned zero_subnormals = 0x8040, no_traps = 0x1f80;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(zero_subnormals | no_traps);
  const __m512i odd = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  for (int64_t i = 0; i < tile_edge; ++i) {
    __m512 evens = _mm512_setzero_ps(), odds = _mm512_setzero_ps();
    for (int64_t k = 0; k < tile_edge; ++k) {
      const __m512i a = _mm512_set1_epi32(emulated_row(left, i)[k]);
      const __m512i b = _mm512_load_si512(emulated_row(right, k));
      evens = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(a, 16)),
                              _mm512_castsi512_ps(_mm512_slli_epi32(b, 16)), evens);
      odds = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_and_si512(a, odd)),
                             _mm512_castsi512_ps(_mm512_and_si512(b, odd)), odds);
    }
    const __m512 sums = _mm512_load_ps(emulated_row(sum, i));
    _mm512_store_ps(emulated_row(sum, i), _mm512_add_ps(sums, _mm512_add_ps(evens, odds)));
  }
  _mm_setcsr(before);
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
