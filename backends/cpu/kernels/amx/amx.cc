#include "backends/cpu/kernels/amx/amx.h"

#include <algorithm>

#include "backends/cpu/kernels/amx/tile_instructions.h"
#include "backends/cpu/kernels/instruction_set.h"
#include "backends/cpu/kernels/onednn.h"
#include "systolic/base/error.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace systolic::inline v0 {
namespace kernels {
namespace amx {

#ifdef SYSTOLIC_AMX
namespace {

// Linux gives the tiles' registers to processes that ask for them.
bool ask_system() {
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

struct alignas(64) Configuration {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

void load_configuration(const void* configuration) {
  const auto* bytes = static_cast<const unsigned char(*)[64]>(configuration);
  asm volatile("ldtilecfg %0" : : "m"(*bytes));
}

constexpr int64_t float_row = block_edge * int64_t{sizeof(float)};
constexpr int64_t lower_sums = tile_edge * block_edge;

// Tiles 0 to 3 are the sums, 4 and 5 the left operand's, 6 and 7 the right one's.
template <bool two_rows, bool two_columns, class Unit>
SYSTOLIC_AMX void multiply_tiles(Unit unit, const LeftPanel& left, const RightPanel& right,
                                 int64_t steps, bool add, float* sums) {
  if (add) {
    load<0>(unit, sums, float_row);
    if constexpr (two_columns) load<1>(unit, sums + tile_edge, float_row);
    if constexpr (two_rows) load<2>(unit, sums + lower_sums, float_row);
    if constexpr (two_rows && two_columns) load<3>(unit, sums + lower_sums + tile_edge, float_row);
  } else {
    zero<0>(unit), zero<1>(unit), zero<2>(unit), zero<3>(unit);
  }
  const int64_t row_bytes = left.row * int64_t{sizeof(bfloat16)};
  const bfloat16 *a = left.data, *b = right.data;
  for (int64_t step = 0; step < steps; ++step, a += left.step, b += right.step) {
    load<4>(unit, a, row_bytes);
    load<6>(unit, b, 64);
    multiply_add<0, 4, 6>(unit);
    if constexpr (two_columns) {
      load<7>(unit, b + right.second, 64);
      multiply_add<1, 4, 7>(unit);
    }
    if constexpr (two_rows) {
      load<5>(unit, a + left.second, row_bytes);
      multiply_add<2, 5, 6>(unit);
      if constexpr (two_columns) multiply_add<3, 5, 7>(unit);
    }
  }
  store<0>(unit, sums);
  if constexpr (two_columns) store<1>(unit, sums + tile_edge);
  if constexpr (two_rows) store<2>(unit, sums + lower_sums);
  if constexpr (two_rows && two_columns) store<3>(unit, sums + lower_sums + tile_edge);
}

template <class Unit>
void multiply_with(Unit unit, const LeftPanel& left, const RightPanel& right, int64_t steps,
                   int64_t rows, int64_t columns, bool add, float* sums) {
  if (rows > tile_edge) {
    if (columns > tile_edge) return multiply_tiles<true, true>(unit, left, right, steps, add, sums);
    return multiply_tiles<true, false>(unit, left, right, steps, add, sums);
  }
  if (columns > tile_edge) return multiply_tiles<false, true>(unit, left, right, steps, add, sums);
  multiply_tiles<false, false>(unit, left, right, steps, add, sums);
}

// Transposes 16 x 16 words of 32 bits: of 16 rows each `row` words apart, into rows of 16.
SYSTOLIC_AMX void transpose(const __m512i (&in)[16], uint32_t* out) {
  __m512i a[16], b[16];
  for (int i = 0; i < 16; i += 2) {
    a[i] = _mm512_unpacklo_epi32(in[i], in[i + 1]);
    a[i + 1] = _mm512_unpackhi_epi32(in[i], in[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    b[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
    b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
    b[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
    b[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {  // b[4 g + i]: column 4 lane + i of rows [4 g, 4 g + 4)
    a[i] = _mm512_shuffle_i32x4(b[i], b[i + 4], 0x88);
    a[i + 4] = _mm512_shuffle_i32x4(b[i], b[i + 4], 0xdd);
    a[i + 8] = _mm512_shuffle_i32x4(b[i + 8], b[i + 12], 0x88);
    a[i + 12] = _mm512_shuffle_i32x4(b[i + 8], b[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; ++i) {
    _mm512_storeu_si512(out + 16 * i, _mm512_shuffle_i32x4(a[i], a[i + 8], 0x88));
    _mm512_storeu_si512(out + 16 * (i + 8), _mm512_shuffle_i32x4(a[i], a[i + 8], 0xdd));
    _mm512_storeu_si512(out + 16 * (i + 4), _mm512_shuffle_i32x4(a[i + 4], a[i + 12], 0x88));
    _mm512_storeu_si512(out + 16 * (i + 12), _mm512_shuffle_i32x4(a[i + 4], a[i + 12], 0xdd));
  }
}

// Up to 32 elements, then zeros.
SYSTOLIC_AMX inline __m512i load_row(const bfloat16* data, int64_t count) {
  return _mm512_maskz_loadu_epi16(first_lanes(count), data);
}

// The same of f32, rounded to nearest.
SYSTOLIC_AMX inline __m512i load_row(const float* data, int64_t count) {
  return rounded(_mm512_maskz_loadu_ps(low_lanes(count), data),
                 _mm512_maskz_loadu_ps(high_lanes(count), data + tile_edge));
}

// Prefetches what the next step packs, for two rows along k, while this one is packed.
template <class T>
SYSTOLIC_AMX inline void ask_for_next_step(const T* at, int64_t row) {
  constexpr int64_t line = 64 / int64_t{sizeof(T)};
  const T* next = at + step_depth * row;  // which need not be inside of anything
  for (int64_t i = 0; i < block_edge; i += line) {
    _mm_prefetch(reinterpret_cast<const char*>(next + i), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(next + row + i), _MM_HINT_T0);
  }
}

// Rows of 32 along k, as they lie: 16 rows to a tile.
SYSTOLIC_AMX void copy_rows(const bfloat16* source, int64_t row, int64_t rows, int64_t depth,
                            bfloat16* panel) {
  for (int64_t k = 0; k < depth; k += step_depth, panel += step_elements) {
    for (int64_t i = 0; i < block_edge; ++i) {
      const __m512i values =
          i < rows ? load_row(source + i * row + k, depth - k) : _mm512_setzero_si512();
      _mm512_store_si512(panel + i * step_depth, values);
    }
  }
}

// Pairs of rows of 32 columns, interleaved: 16 pairs to a tile.
template <class T>
SYSTOLIC_AMX void interleave_rows(const T* source, int64_t row, int64_t depth, int64_t columns,
                                  const PackedRight& panel) {
  bfloat16* tile = panel.data;
  for (int64_t k = 0; k < depth; k += step_depth, tile += panel.step) {
    for (int64_t i = 0; i < step_depth; i += 2) {
      const int64_t left = depth - k - i;
      const T* at = source + (k + i) * row;
      ask_for_next_step(at, row);
      __m512i low, high;
      interleave(load_row(at, left > 0 ? columns : 0), load_row(at + row, left > 1 ? columns : 0),
                 low, high);
      _mm512_store_si512(tile + i * tile_edge, low);
      _mm512_store_si512(tile + i * tile_edge + panel.second, high);
    }
  }
}

// From columns of `rows` elements, `column` apart, to tiles of rows along k.
SYSTOLIC_AMX void transpose_columns(const bfloat16* source, int64_t column, int64_t rows,
                                    int64_t depth, bfloat16* panel) {
  for (int64_t k = 0; k < depth; k += step_depth, panel += step_elements) {
    __m512i low[16], high[16];
    for (int64_t i = 0; i < step_depth; i += 2) {
      const int64_t left = depth - k - i;
      const bfloat16* at = source + (k + i) * column;
      ask_for_next_step(at, column);
      interleave(load_row(at, left > 0 ? rows : 0), load_row(at + column, left > 1 ? rows : 0),
                 low[i / 2], high[i / 2]);
    }
    transpose(low, reinterpret_cast<uint32_t*>(panel));
    transpose(high, reinterpret_cast<uint32_t*>(panel + step_elements / 2));
  }
}

// From `columns` runs along k, `column` apart, to tiles of interleaved pairs.
template <class T>
SYSTOLIC_AMX void transpose_runs(const T* source, int64_t column, int64_t depth, int64_t columns,
                                 const PackedRight& panel) {
  bfloat16* tile = panel.data;
  for (int64_t k = 0; k < depth; k += step_depth, tile += panel.step) {
    for (int64_t half = 0; half < 2; ++half) {
      __m512i runs[16];
      for (int64_t j = 0; j < tile_edge; ++j) {
        const int64_t at = half * tile_edge + j;
        runs[j] =
            at < columns ? load_row(source + at * column + k, depth - k) : _mm512_setzero_si512();
      }
      transpose(runs, reinterpret_cast<uint32_t*>(tile + half * panel.second));
    }
  }
}

// Elements of a row of a block, of which `columns` count: as two vectors.
struct BlockRow {
  __m512 low, high;
};

// NaN stays NaN: maximum gives its second operand where one is NaN.
SYSTOLIC_AMX inline BlockRow finished_row(const float* sums, const BlockRow& bias, __m512 least) {
  return {_mm512_max_ps(least, _mm512_add_ps(_mm512_load_ps(sums), bias.low)),
          _mm512_max_ps(least, _mm512_add_ps(_mm512_load_ps(sums + tile_edge), bias.high))};
}

SYSTOLIC_AMX inline BlockRow load_bias(const float* bias, int64_t columns) {
  if (bias == nullptr) return {_mm512_set1_ps(-0.0f), _mm512_set1_ps(-0.0f)};
  return {_mm512_maskz_loadu_ps(low_lanes(columns), bias),
          _mm512_maskz_loadu_ps(high_lanes(columns), bias + tile_edge)};
}

SYSTOLIC_AMX inline void store_row(const BlockRow& row, uint32_t lanes, bfloat16* out) {
  _mm512_mask_storeu_epi16(out, lanes, rounded(row.low, row.high));
}
SYSTOLIC_AMX inline void store_row(const BlockRow& row, uint32_t lanes, float* out) {
  _mm512_mask_storeu_ps(out, static_cast<__mmask16>(lanes), row.low);
  _mm512_mask_storeu_ps(out + tile_edge, static_cast<__mmask16>(lanes >> 16), row.high);
}

template <class Out>
SYSTOLIC_AMX void write_rows(const float* sums, int64_t rows, int64_t columns, const BlockEnd& end,
                             Out* out, int64_t row) {
  const BlockRow bias = load_bias(end.bias, columns);
  const __m512 least = _mm512_set1_ps(end.least);
  const uint32_t lanes = first_lanes(columns);
  for (int64_t i = 0; i < rows; ++i) {
    store_row(finished_row(sums + i * block_edge, bias, least), lanes, out + i * row);
  }
}

}  // namespace

bool is_available() {
  static const bool available = [] {
    limit_instruction_set();
    if (emulates_amx()) return onednn_knows_bf16();
    const auto wanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_amx);
    const auto effective = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    return (effective & wanted) == wanted && ask_system();
  }();
  return available;
}

SYSTOLIC_AMX TileShape::TileShape() {
  if (emulates_amx()) return;
  asm volatile("sttilecfg %0" : "=m"(before_));
  Configuration configuration;
  std::fill_n(configuration.row_bytes, 8, uint16_t{64});
  std::fill_n(configuration.rows, 8, uint8_t{tile_edge});
  load_configuration(&configuration);
}
SYSTOLIC_AMX TileShape::~TileShape() {
  if (!emulates_amx()) load_configuration(before_);
}

void multiply(const LeftPanel& left, const RightPanel& right, int64_t steps, int64_t rows,
              int64_t columns, bool add, float* sums) {
  if (emulates_amx()) {
    return multiply_with(Emulated(), left, right, steps, rows, columns, add, sums);
  }
  multiply_with(Hardware(), left, right, steps, rows, columns, add, sums);
}

void pack_left(const bfloat16* source, int64_t row, int64_t column, int64_t rows, int64_t depth,
               bfloat16* panel) {
  if (column == 1 || depth == 1) return copy_rows(source, row, rows, depth, panel);
  transpose_columns(source, column, rows, depth, panel);
}

template <class T>
void pack_right(const T* source, int64_t row, int64_t column, int64_t depth, int64_t columns,
                const PackedRight& panel) {
  if (column == 1 || columns == 1) return interleave_rows(source, row, depth, columns, panel);
  transpose_runs(source, column, depth, columns, panel);
}

void write_block(const float* sums, int64_t rows, int64_t columns, const BlockEnd& end,
                 bfloat16* out, int64_t row) {
  write_rows(sums, rows, columns, end, out, row);
}
void write_block(const float* sums, int64_t rows, int64_t columns, const BlockEnd& end, float* out,
                 int64_t row) {
  write_rows(sums, rows, columns, end, out, row);
}

#else  // another processor or system

bool is_available() { return false; }

TileShape::TileShape() { ensure(false, "this processor has no matrix unit"); }
TileShape::~TileShape() = default;

void multiply(const LeftPanel&, const RightPanel&, int64_t, int64_t, int64_t, bool, float*) {
  ensure(false, "this processor has no matrix unit");
}
void pack_left(const bfloat16*, int64_t, int64_t, int64_t, int64_t, bfloat16*) {
  ensure(false, "this processor has no matrix unit");
}
template <class T>
void pack_right(const T*, int64_t, int64_t, int64_t, int64_t, const PackedRight&) {
  ensure(false, "this processor has no matrix unit");
}
void write_block(const float*, int64_t, int64_t, const BlockEnd&, bfloat16*, int64_t) {
  ensure(false, "this processor has no matrix unit");
}
void write_block(const float*, int64_t, int64_t, const BlockEnd&, float*, int64_t) {
  ensure(false, "this processor has no matrix unit");
}

#endif

template void pack_right(const bfloat16*, int64_t, int64_t, int64_t, int64_t, const PackedRight&);
template void pack_right(const float*, int64_t, int64_t, int64_t, int64_t, const PackedRight&);

}  // namespace amx
}  // namespace kernels
}  // namespace systolic::inline v0
