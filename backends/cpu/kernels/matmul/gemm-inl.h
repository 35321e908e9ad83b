// The inner kernel of every f32 matrix product here, compiled once for each instruction set
// (Highway's foreach_target).
//
// It keeps a tile of `tile_rows` x `tile_columns` sums in registers and adds, for each step of k,
// the outer product of a column of a (broadcast element by element) and a row of b (whole vectors):
//
//   c[r][j] (+)= sum over p of a[r * a_row + p * a_step] * b[p * b_step + j],
//                then + bias[j], then max(., least)
//
// Both operands may be packed or not: only the rows of b must be contiguous. No operand is read
// outside [0, rows) x [0, k) and [0, k) x [0, columns).
#if defined(SYSTOLIC_KERNELS_GEMM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_GEMM_INL_H_
#undef SYSTOLIC_KERNELS_GEMM_INL_H_
#else
#define SYSTOLIC_KERNELS_GEMM_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "backends/cpu/kernels/older_highway-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// max(x, least) and min(x, most), of which a NaN stays one. So do x86's instructions with the
// operands in this order; NEON's would give the other operand.
template <class V>
HWY_INLINE V at_least(V least, V x) {
#if HWY_ARCH_X86
  return hn::Max(least, x);
#else
  return hn::IfThenElse(hn::Lt(x, least), least, x);
#endif
}
template <class V>
HWY_INLINE V at_most(V most, V x) {
#if HWY_ARCH_X86
  return hn::Min(most, x);
#else
  return hn::IfThenElse(hn::Lt(most, x), most, x);
#endif
}

inline constexpr int64_t lanes = HWY_LANES(float);
inline constexpr int tile_vectors = lanes >= 8 ? 2 : 16 / lanes;
inline constexpr int64_t tile_columns = tile_vectors * lanes;
// AVX-512 has 32 registers: 12 x 2 sums. AVX2 has 16: 6 x 2 sums, 2 of b, 1 of a.
inline constexpr int tile_rows = lanes >= 16 ? 12 : 6;

// Rows of b that are asked for before they are multiplied: a panel of b with its tile of a is
// about as large as the first-level cache. Not with AVX2, which has half as many multiply-adds to a
// step: the two instructions more were 8 % of them all, and took 4 to 10 % of the time of a Zen 3
// whose core another thread shared.
inline constexpr int64_t steps_ahead = 8;
inline constexpr bool asks_ahead = tile_columns >= 32;

// One tile of the product. Constant during a loop over tiles but for a, b and c.
struct Tile {
  int64_t k;
  int64_t a_row, a_step;
  int64_t b_step;
  int64_t c_row;
  bool accumulate;
  float least = -std::numeric_limits<float>::infinity();  // 0 for relu
  bool stream = false;  // whole tiles of c by streaming stores (streaming.h); not with accumulate
  const float* bias = nullptr;  // where given, of the tile's columns: added before `least`
};

// Calls step(index) with the compile-time numbers below `count`: arrays so indexed stay in
// registers.
template <class Step, int... index>
HWY_INLINE void unrolled(std::integer_sequence<int, index...>, const Step& step) {
  (step(std::integral_constant<int, index>()), ...);
}
template <int count, class Step>
HWY_INLINE void unrolled(const Step& step) {
  unrolled(std::make_integer_sequence<int, count>(), step);
}

template <int rows>
HWY_NOINLINE void multiply_full_tile(const Tile& tile, const float* HWY_RESTRICT a,
                                     const float* HWY_RESTRICT b, float* HWY_RESTRICT c) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int sum_count = rows * tile_vectors;
  V sums[sum_count];
  unrolled<sum_count>([&](auto i) HWY_ATTR { sums[i] = hn::Zero(d); });
  const int64_t a_row = tile.a_row, a_step = tile.a_step, b_step = tile.b_step;
  // What is added to at the end comes from far while the sums are made.
  if (tile.accumulate) {
    unrolled<sum_count>([&](auto i) HWY_ATTR {
      hwy::Prefetch(c + i / tile_vectors * tile.c_row + i % tile_vectors * lanes);
    });
  }
  for (int64_t p = tile.k; p > 0; --p) {
    V row[tile_vectors];
    unrolled<tile_vectors>([&](auto v) HWY_ATTR {
      if constexpr (asks_ahead) hwy::Prefetch(b + steps_ahead * b_step + v * lanes);
      row[v] = hn::LoadU(d, b + v * lanes);
    });
    unrolled<rows>([&](auto r) HWY_ATTR {
      const V element = hn::Set(d, a[r * a_row]);
      unrolled<tile_vectors>([&](auto v) HWY_ATTR {
        sums[r * tile_vectors + v] = hn::MulAdd(element, row[v], sums[r * tile_vectors + v]);
      });
    });
    a += a_step;
    b += b_step;
  }
  const V least = hn::Set(d, tile.least);
  const int64_t c_row = tile.c_row;
  if (tile.accumulate) {
    unrolled<sum_count>([&](auto i) HWY_ATTR {
      const float* before = c + i / tile_vectors * c_row + i % tile_vectors * lanes;
      sums[i] = hn::Add(sums[i], hn::LoadU(d, before));
    });
  }
  if (tile.bias != nullptr) {
    unrolled<sum_count>([&](auto i) HWY_ATTR {
      sums[i] = hn::Add(sums[i], hn::LoadU(d, tile.bias + i % tile_vectors * lanes));
    });
  }
  if (tile.stream) {
    unrolled<sum_count>([&](auto i) HWY_ATTR {
      hn::Stream(at_least(least, sums[i]), d,
                 c + i / tile_vectors * c_row + i % tile_vectors * lanes);
    });
    return;
  }
  unrolled<sum_count>([&](auto i) HWY_ATTR {
    hn::StoreU(at_least(least, sums[i]), d,
               c + i / tile_vectors * c_row + i % tile_vectors * lanes);
  });
}

// The same for fewer columns of b and c: `vectors` - 1 whole vectors and a part of one.
template <int rows, int vectors>
HWY_NOINLINE void multiply_narrow_tile(const Tile& tile, const float* HWY_RESTRICT a,
                                       const float* HWY_RESTRICT b, float* HWY_RESTRICT c,
                                       int64_t columns) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int sum_count = rows * vectors;
  const auto part = hn::FirstN(d, static_cast<size_t>(columns - (vectors - 1) * lanes));
  const auto load = [&](int v, const float* from) HWY_ATTR {
    return v == vectors - 1 ? hn::MaskedLoad(part, d, from) : hn::LoadU(d, from);
  };
  V sums[sum_count];
  unrolled<sum_count>([&](auto i) HWY_ATTR { sums[i] = hn::Zero(d); });
  const int64_t a_row = tile.a_row, a_step = tile.a_step, b_step = tile.b_step;
  for (int64_t p = tile.k; p > 0; --p) {
    V row[vectors];
    unrolled<vectors>([&](auto v) HWY_ATTR { row[v] = load(v, b + v * lanes); });
    unrolled<rows>([&](auto r) HWY_ATTR {
      const V element = hn::Set(d, a[r * a_row]);
      unrolled<vectors>([&](auto v) HWY_ATTR {
        sums[r * vectors + v] = hn::MulAdd(element, row[v], sums[r * vectors + v]);
      });
    });
    a += a_step;
    b += b_step;
  }
  const V least = hn::Set(d, tile.least);
  unrolled<sum_count>([&](auto i) HWY_ATTR {
    constexpr int v = i % vectors;
    float* out = c + i / vectors * tile.c_row + v * lanes;
    V sum = sums[i];
    if (tile.accumulate) sum = hn::Add(sum, load(v, out));
    if (tile.bias != nullptr) sum = hn::Add(sum, load(v, tile.bias + v * lanes));
    sum = at_least(least, sum);
    if (v == vectors - 1) {
      store_masked(sum, part, d, out);
    } else {
      hn::StoreU(sum, d, out);
    }
  });
}

template <int rows, int vectors = tile_vectors>
void multiply_tile(const Tile& tile, const float* a, const float* b, float* c, int64_t columns) {
  if constexpr (vectors == tile_vectors) {
    if (columns == tile_columns) return multiply_full_tile<rows>(tile, a, b, c);
  }
  if constexpr (vectors > 1) {
    if (columns <= (vectors - 1) * lanes) {
      return multiply_tile<rows, vectors - 1>(tile, a, b, c, columns);
    }
  }
  multiply_narrow_tile<rows, vectors>(tile, a, b, c, columns);
}

template <int rows>
void multiply_last_rows(int64_t wanted, const Tile& tile, const float* a, const float* b, float* c,
                        int64_t columns) {
  if constexpr (rows > 0) {
    if (wanted == rows) return multiply_tile<rows>(tile, a, b, c, columns);
    return multiply_last_rows<rows - 1>(wanted, tile, a, b, c, columns);
  }
}

struct Nothing {
  void operator()() const {}
};

// All rows against one panel of b. `a_tile` is how far apart the tiles of rows start in a:
// tile_rows * a_row unless a is packed tile by tile. Calls between() before each tile.
template <class Between = Nothing>
HWY_INLINE void multiply_panel(const Tile& tile, int64_t rows, int64_t a_tile, const float* a,
                               const float* b, float* c, int64_t columns,
                               Between&& between = Between()) {
  for (; rows >= tile_rows; rows -= tile_rows) {
    between();
    multiply_tile<tile_rows>(tile, a, b, c, columns);
    a += a_tile;
    c += tile_rows * tile.c_row;
  }
  multiply_last_rows<tile_rows - 1>(rows, tile, a, b, c, columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
