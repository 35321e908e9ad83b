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
#include "backends/cpu/kernels/transpose-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As many rows of as many floats as a vector of D has, `stride` apart, become the columns of target
// (rows of it `width` apart).
template <class D>
HWY_INLINE void transpose_square(D d, const float* source, int64_t stride, float* target,
                                 int64_t width) {
  constexpr size_t side = hn::MaxLanes(D());
  hn::Vec<D> rows[side];
  for (size_t i = 0; i < side; ++i) {
    rows[i] = hn::LoadU(d, source + static_cast<int64_t>(i) * stride);
  }
  transpose_square(d, rows);
  for (size_t i = 0; i < side; ++i) {
    hn::StoreU(rows[i], d, target + static_cast<int64_t>(i) * width);
  }
}

// target[p * width + i] = source[i * stride + p] for i < valid, p < depth; source rows are
// contiguous in p.
inline void transpose_rows(const float* source, int64_t stride, int64_t valid, int64_t depth,
                           float* target, int64_t width) {
  const hn::ScalableTag<float> whole;
  const hn::FixedTag<float, 4> quarter;
  constexpr auto side = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<float>()));
  int64_t i = 0;
  const auto transpose = [&](auto d, int64_t count) HWY_ATTR {
    int64_t p = 0;
    for (; p + count <= depth; p += count) {
      transpose_square(d, source + i * stride + p, stride, target + p * width + i, width);
    }
    for (; p < depth; ++p) {
      for (int64_t j = 0; j < count; ++j) target[p * width + i + j] = source[(i + j) * stride + p];
    }
  };
  for (; i + side <= valid; i += side) transpose(whole, side);
  for (; i + 4 <= valid; i += 4) transpose(quarter, 4);
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
  if (depth == 0) return;  // a source of no elements may be null, and takes no offset
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
