// Packing of matrix operands for gemm-inl.h: copies with conversion to f32, compiled once for each
// instruction set.
#if defined(SYSTOLIC_KERNELS_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_PACK_INL_H_
#undef SYSTOLIC_KERNELS_PACK_INL_H_
#else
#define SYSTOLIC_KERNELS_PACK_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/float_conversion-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Four rows of four floats, `stride` apart, become the columns of target (rows of it `width`
// apart).
inline void transpose_4x4(const float* source, int64_t stride, float* target, int64_t width) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto r0 = hn::LoadU(d, source), r1 = hn::LoadU(d, source + stride);
  const auto r2 = hn::LoadU(d, source + 2 * stride), r3 = hn::LoadU(d, source + 3 * stride);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));   // 00 10 01 11
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));   // 20 30 21 31
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));  // 02 12 03 13
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, target);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, target + width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, target + 2 * width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, target + 3 * width);
}

// target[p * width + i] = source[i * stride + p] for i < valid, p < depth; source rows are
// contiguous in p.
inline void transpose_rows(const float* source, int64_t stride, int64_t valid, int64_t depth,
                           float* target, int64_t width) {
  int64_t i = 0;
  for (; i + 4 <= valid; i += 4) {
    int64_t p = 0;
    for (; p + 4 <= depth; p += 4) {
      transpose_4x4(source + i * stride + p, stride, target + p * width + i, width);
    }
    for (; p < depth; ++p) {
      for (int64_t j = 0; j < 4; ++j) target[p * width + i + j] = source[(i + j) * stride + p];
    }
  }
  for (; i < valid; ++i) {
    for (int64_t p = 0; p < depth; ++p) target[p * width + i] = source[i * stride + p];
  }
}

template <class T>
void transpose_rows(const T* source, int64_t stride, int64_t valid, int64_t depth, float* target,
                    int64_t width) {
  constexpr int64_t run = 64, most_rows = 64;
  float buffer[most_rows * run];
  for (int64_t first = 0; first < valid; first += most_rows) {
    const int64_t rows = std::min(most_rows, valid - first);
    for (int64_t begin = 0; begin < depth; begin += run) {
      const int64_t count = std::min(run, depth - begin);
      for (int64_t i = 0; i < rows; ++i) {
        convert_run(source + (first + i) * stride + begin, buffer + i * run, count);
      }
      transpose_rows(buffer, run, rows, count, target + begin * width + first, width);
    }
  }
}

// One panel: target[p * width + i] = source[i * across + p * along] for i < valid, 0 for valid <= i
// < width; p < depth.
template <int width, class T>
void pack_panel(const T* source, int64_t across, int64_t along, int64_t valid, int64_t depth,
                float* target) {
  if (valid < width) {
    for (int64_t p = 0; p < depth; ++p)
      std::fill(target + p * width + valid, target + (p + 1) * width, 0.0f);
  }
  if (along == 1 && across != 1) {
    transpose_rows(source, across, valid, depth, target, width);
  } else if (across == 1 && valid == width) {
    for (int64_t p = 0; p < depth; ++p) convert_run(source + p * along, target + p * width, width);
  } else {
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t i = 0; i < valid; ++i) {
        target[p * width + i] = static_cast<float>(source[i * across + p * along]);
      }
    }
  }
}

// Rows ahead of the one being packed that are asked for: their lines lie too far apart for the
// processor to guess.
inline constexpr int64_t rows_ahead = 8;

// All panels of a block, one after the other: panel i holds source[(i * width ...) * across + p *
// along]. A source that is contiguous across panels is read once, row by row: a walk panel by panel
// would come back to each line after the cache has dropped it, where rows lie a power of two apart.
template <int width, class T>
void pack_panels(const T* source, int64_t across, int64_t along, int64_t count, int64_t depth,
                 float* target) {
  const int64_t whole = across == 1 ? count / width : 0;
  for (int64_t p = 0; p < depth; ++p) {
    const T* row = source + p * along;
    float* out = target + p * width;
    for (int64_t panel = 0; panel < whole; ++panel) {
      if (p + rows_ahead < depth) hwy::Prefetch(row + rows_ahead * along + panel * width);
      convert_run(row + panel * width, out + panel * width * depth, width);
    }
    if (whole == 0) break;
  }
  for (int64_t i = whole * width; i < count; i += width) {
    pack_panel<width>(source + i * across, across, along, std::min<int64_t>(width, count - i),
                      depth, target + i * depth);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
