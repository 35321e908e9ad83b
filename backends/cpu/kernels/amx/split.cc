#include "backends/cpu/kernels/amx/split.h"

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/amx/tile_instructions.h"
#include "backends/cpu/kernels/instruction_set.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace amx {

#ifdef SYSTOLIC_AMX
namespace {

constexpr int64_t middle = step_elements, low = 2 * step_elements;  // where parts of a step lie

template <int first, class Unit>
SYSTOLIC_AMX inline void load_pair(Unit unit, const bfloat16* tiles) {
  load<first>(unit, tiles, 64);
  load<first + 1>(unit, tiles + step_elements / 2, 64);
}

// Tiles 0 to 3 are the sums, 4 and 5 the left operand's, 6 and 7 the right one's.
template <class Unit>
SYSTOLIC_AMX inline void multiply_pairs(Unit unit) {
  multiply_add<0, 4, 6>(unit);
  multiply_add<1, 4, 7>(unit);
  multiply_add<2, 5, 6>(unit);
  multiply_add<3, 5, 7>(unit);
}

// One side's tiles, times those of the other that are there.
template <int first, class Unit>
SYSTOLIC_AMX inline void load_and_multiply(Unit unit, const bfloat16* tiles) {
  load_pair<first>(unit, tiles);
  multiply_pairs(unit);
}

// Five of the six products. Each but the first loads the parts of one side, and multiplies them by
// those of the other that the one before has left. `between` is called as often.
template <class Unit, class Between>
SYSTOLIC_AMX inline void multiply_small_parts(Unit unit, const bfloat16* a, const bfloat16* b,
                                              Between between) {
  load_pair<6>(unit, b);
  load_and_multiply<4>(unit, a + low), between();
  load_and_multiply<4>(unit, a + middle), between();
  load_and_multiply<6>(unit, b + middle), between();
  load_and_multiply<4>(unit, a), between();
  load_and_multiply<6>(unit, b + low), between();
}

template <class Unit>
SYSTOLIC_AMX inline void store_sums(Unit unit, float* sums) {
  store<0>(unit, sums);
  store<1>(unit, sums + tile_edge);
  store<2>(unit, sums + tile_edge * block_edge);
  store<3>(unit, sums + tile_edge * block_edge + tile_edge);
}

SYSTOLIC_AMX inline void ask_for(const void* data, int64_t lines) {
  for (int64_t i = 0; i < lines; ++i) {
    _mm_prefetch(static_cast<const char*>(data) + 64 * i, _MM_HINT_T1);
  }
}

// 32 numbers in their parts. `high` has the first 16 of them in its lower half, as the others do.
struct Parts {
  __m512i high, middle, low;
};

SYSTOLIC_AMX inline Parts zeros() {
  const __m512i zero = _mm512_setzero_si512();
  return {zero, zero, zero};
}

SYSTOLIC_AMX inline __m512 widened(__m256i half) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}
// What rounding to `part` leaves: exact.
SYSTOLIC_AMX inline void subtract(__m512i part, __m512& first, __m512& second) {
  first = _mm512_sub_ps(first, widened(_mm512_castsi512_si256(part)));
  second = _mm512_sub_ps(second, widened(_mm512_extracti64x4_epi64(part, 1)));
}
SYSTOLIC_AMX inline Parts split(__m512 first, __m512 second) {
  Parts parts;
  parts.high = rounded(first, second);
  subtract(parts.high, first, second);
  parts.middle = rounded(first, second);
  subtract(parts.middle, first, second);
  parts.low = rounded(first, second);
  return parts;
}

// The lanes of a run of numbers, and the largest of those read.
struct RunReader {
  SYSTOLIC_AMX explicit RunReader(int64_t length)
      : first_lane(low_lanes(length)), second_lane(high_lanes(length)) {}

  SYSTOLIC_AMX Parts read(const float* run) {
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    const __m512 first = _mm512_maskz_loadu_ps(first_lane, run);
    const __m512 second = _mm512_maskz_loadu_ps(second_lane, run + tile_edge);
    most = _mm512_max_epu32(most, _mm512_and_si512(magnitude, _mm512_castps_si512(first)));
    most = _mm512_max_epu32(most, _mm512_and_si512(magnitude, _mm512_castps_si512(second)));
    return split(first, second);
  }
  // Whether all have parts: none is 2^127 or more.
  SYSTOLIC_AMX bool all_have_parts() const {
    constexpr uint32_t bits_of_2_to_127 = 0x7f000000;
    return _mm512_cmpge_epu32_mask(most, _mm512_set1_epi32(bits_of_2_to_127)) == 0;
  }

  __mmask16 first_lane, second_lane;
  __m512i most = _mm512_setzero_si512();
};

// Splits up to 32 runs of up to 32 numbers, `run` apart, into rows of 32 of a step's three parts;
// zeros where there are none. Whether all have parts.
SYSTOLIC_AMX bool split_runs(const float* source, int64_t run, int64_t runs, int64_t length,
                             bfloat16* to) {
  RunReader reader(length);
  for (int64_t i = 0; i < block_edge; ++i, to += step_depth) {
    const Parts parts = i < runs ? reader.read(source + i * run) : zeros();
    _mm512_store_si512(to, parts.high);
    _mm512_store_si512(to + middle, parts.middle);
    _mm512_store_si512(to + low, parts.low);
  }
  return reader.all_have_parts();
}

SYSTOLIC_AMX inline void store_interleaved(__m512i first, __m512i second, bfloat16* to) {
  __m512i left, right;
  interleave(first, second, left, right);
  _mm512_store_si512(to, left);
  _mm512_store_si512(to + step_elements / 2, right);
}

// The same for rows of the right operand: pairs of them, interleaved. Prefetches the next step.
SYSTOLIC_AMX bool split_pairs(const float* source, int64_t row, int64_t rows, int64_t columns,
                              bfloat16* to) {
  RunReader reader(columns);
  for (int64_t i = 0; i < step_depth; i += 2, to += 2 * tile_edge) {
    const float* at = source + i * row;
    for (const float* next : {at + step_depth * row, at + (step_depth + 1) * row}) {
      ask_for(next, 2);
    }
    const Parts first = i < rows ? reader.read(at) : zeros();
    const Parts second = i + 1 < rows ? reader.read(at + row) : zeros();
    store_interleaved(first.high, second.high, to);
    store_interleaved(first.middle, second.middle, to + middle);
    store_interleaved(first.low, second.low, to + low);
  }
  return reader.all_have_parts();
}

template <class Unit>
SYSTOLIC_AMX void multiply_parts(Unit unit, const bfloat16* left, const bfloat16* right,
                                 int64_t steps, const Ahead& ahead, float* sums) {
  zero<0>(unit), zero<1>(unit), zero<2>(unit), zero<3>(unit);
  const bfloat16* at = ahead.data;
  const int64_t lines = (ahead.lines + 5 * steps - 1) / (5 * steps);  // each time it is called
  for (int64_t step = 0; step < steps; ++step) {
    multiply_small_parts(unit, left + step * split_step_elements,
                         right + step * split_step_elements, [&] {
                           ask_for(at, lines);
                           at += lines * 32;
                         });
  }
  for (int64_t step = 0; step < steps; ++step) {
    load_pair<6>(unit, right + step * split_step_elements);
    load_and_multiply<4>(unit, left + step * split_step_elements);
  }
  store_sums(unit, sums);
}

}  // namespace

void multiply_split(const bfloat16* left, const bfloat16* right, int64_t steps, const Ahead& ahead,
                    float* sums) {
  if (emulates_amx()) return multiply_parts(Emulated(), left, right, steps, ahead, sums);
  multiply_parts(Hardware(), left, right, steps, ahead, sums);
}

bool split_left(const float* source, int64_t row, int64_t column, int64_t rows, int64_t depth,
                bfloat16* step) {
  if (column == 1) return split_runs(source, row, rows, depth, step);
  alignas(64) bfloat16 parts[split_step_elements];
  const bool has_parts = split_runs(source, column, depth, rows, parts);
  for (int64_t part : {int64_t{0}, middle, low}) {
    pack_left(parts + part, 1, step_depth, rows, depth, step + part);
  }
  return has_parts;
}

bool split_right(const float* source, int64_t row, int64_t column, int64_t depth, int64_t columns,
                 bfloat16* step) {
  if (column == 1) return split_pairs(source, row, depth, columns, step);
  alignas(64) bfloat16 parts[split_step_elements];
  const bool has_parts = split_runs(source, column, columns, depth, parts);
  for (int64_t part : {int64_t{0}, middle, low}) {
    pack_right(parts + part, 1, step_depth, depth, columns, {.data = step + part});
  }
  return has_parts;
}

#else  // another processor or system

void multiply_split(const bfloat16*, const bfloat16*, int64_t, const Ahead&, float*) {
  ensure(false, "this processor has no matrix unit");
}
bool split_left(const float*, int64_t, int64_t, int64_t, int64_t, bfloat16*) {
  ensure(false, "this processor has no matrix unit");
  return false;
}
bool split_right(const float*, int64_t, int64_t, int64_t, int64_t, bfloat16*) {
  ensure(false, "this processor has no matrix unit");
  return false;
}

#endif

}  // namespace amx
}  // namespace kernels
}  // namespace systolic::inline v0
