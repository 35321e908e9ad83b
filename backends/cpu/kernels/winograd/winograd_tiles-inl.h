// From pixels to the tiles that winograd_transforms-inl.h transforms, and back, compiled once for
// each instruction set.
#if defined(SYSTOLIC_KERNELS_WINOGRAD_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_WINOGRAD_TILES_INL_H_
#undef SYSTOLIC_KERNELS_WINOGRAD_TILES_INL_H_
#else
#define SYSTOLIC_KERNELS_WINOGRAD_TILES_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/kernels/float_conversion-inl.h"
#include "backends/cpu/kernels/matmul/gemm-inl.h"
#include "backends/cpu/kernels/older_highway-inl.h"
#include "backends/cpu/kernels/winograd/winograd_transforms-inl.h"
#include "hwy/highway.h"
#include "systolic/core/float_types.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline int64_t padded(int64_t channels) {
  return (channels + tile_columns - 1) / tile_columns * tile_columns;
}

HWY_INLINE hn::Mask<Floats> mask_of(int64_t valid) {
  return hn::FirstN(Floats(), static_cast<size_t>(std::clamp<int64_t>(valid, 0, lanes)));
}

// Loads and stores of a vector of channels in the type of memory, of which only `valid` exist;
// `whole` says that all do.
template <bool whole>
HWY_INLINE Vector load_channels(const float* from, int64_t valid) {
  if constexpr (whole) return hn::LoadU(Floats(), from);
  return hn::MaskedLoad(mask_of(valid), Floats(), from);
}
template <bool whole>
HWY_INLINE void store_channels(Vector value, int64_t valid, float* to) {
  if constexpr (whole) return hn::StoreU(value, Floats(), to);
  store_masked(value, mask_of(valid), Floats(), to);
}

template <bool whole, class Small>
HWY_INLINE Vector load_channels(const Small* from, int64_t valid) {
  const hn::Rebind<HwyFloat<Small>, Floats> small;
  if constexpr (whole) {
    return hn::PromoteTo(Floats(),
                         hn::LoadU(small, reinterpret_cast<const HwyFloat<Small>*>(from)));
  }
  Small buffer[lanes] = {};
  std::copy_n(from, std::min(valid, lanes), buffer);
  return load_channels<true>(buffer, lanes);
}

template <bool whole, class Small>
HWY_INLINE void store_channels(Vector value, int64_t valid, Small* to) {
  const hn::Rebind<HwyFloat<Small>, Floats> small;
  if constexpr (std::is_same_v<Small, bfloat16>) value = rounded_to_bf16(value);
  if constexpr (whole) {
    return hn::StoreU(hn::DemoteTo(small, value), small, reinterpret_cast<HwyFloat<Small>*>(to));
  }
  Small buffer[lanes];
  hn::StoreU(hn::DemoteTo(small, value), small, reinterpret_cast<HwyFloat<Small>*>(buffer));
  std::copy_n(buffer, std::min(valid, lanes), to);
}

// A window of an image's pixels, of which [i_begin, i_end) x [j_begin, j_end) lie inside the image.
struct Window {
  Window(int64_t height, int64_t width, int64_t channels, int64_t y, int64_t x, int64_t size)
      : row(width * channels),
        pixel(channels),
        offset(y * row + x * pixel),
        i_begin(std::max<int64_t>(0, -y)),
        i_end(std::min(size, height - y)),
        j_begin(std::max<int64_t>(0, -x)),
        j_end(std::min(size, width - x)),
        inside(i_begin == 0 && i_end == size && j_begin == 0 && j_end == size) {}
  HWY_INLINE bool has(int64_t i, int64_t j) const {
    return i >= i_begin && i < i_end && j >= j_begin && j < j_end;
  }
  HWY_INLINE int64_t at(int64_t i, int64_t j) const { return offset + i * row + j * pixel; }

  int64_t row, pixel, offset;
  int64_t i_begin, i_end, j_begin, j_end;
  bool inside;
};

template <bool inside, bool whole, class T>
struct PixelSource {
  const Window& window;
  const T* image;  // at the first channel
  int64_t valid;
  HWY_INLINE Vector operator()(int i, int j, int v) const {
    if (!inside && !window.has(i, j)) return hn::Zero(Floats());
    return load_channels<whole>(image + window.at(i, j) + v * lanes, valid);
  }
};

// dy where y > 0, summed up on the way.
template <bool inside, bool whole, class T>
struct GradientSource {
  const Window& window;
  const T* dy;
  const T* y;  // or null
  int64_t valid;
  Vector* sums;
  HWY_INLINE Vector operator()(int i, int j, int v) const {
    if (!inside && !window.has(i, j)) return hn::Zero(Floats());
    Vector value = load_channels<whole>(dy + window.at(i, j) + v * lanes, valid);
    if (y != nullptr) {
      const Vector output = load_channels<whole>(y + window.at(i, j) + v * lanes, valid);
      value = hn::IfThenElseZero(hn::Gt(output, hn::Zero(Floats())), value);
    }
    sums[v] = hn::Add(sums[v], value);
    return value;
  }
};

// max(value + bias, least) into the pixels of y that exist.
template <bool inside, bool whole, class T>
struct OutputTarget {
  const Window& window;
  T* y;
  int64_t valid;
  const Vector* bias;
  Vector least, most;
  bool stream;  // by streaming stores, if T is float
  HWY_INLINE void operator()(int i, int v, const Vector row[4]) const {
    for (int j = 0; j < 4; ++j) {
      if (!inside && !window.has(i, j)) continue;
      const Vector value = at_most(most, at_least(least, hn::Add(row[j], bias[v])));
      T* to = y + window.at(i, j) + v * lanes;
      if constexpr (whole && std::is_same_v<T, float>) {
        if (stream) {
          hn::Stream(value, Floats(), to);
          continue;
        }
      }
      store_channels<whole>(value, valid, to);
    }
  }
};

template <bool inside, bool whole, class T>
struct AddingTarget {
  const Window& window;
  T* dx;
  int64_t valid;
  bool add_top, add_left;  // the first two rows, the first two columns have been written before
  HWY_INLINE void store(int i, int j, int v, Vector value, bool add) const {
    if (!inside && !window.has(i, j)) return;
    T* to = dx + window.at(i, j) + v * lanes;
    if (add) value = hn::Add(value, load_channels<whole>(to, valid));
    store_channels<whole>(value, valid, to);
  }
  HWY_INLINE void operator()(int i, int v, const Vector row[6]) const {
    if (i < 2 && add_top) {
      for (int j = 0; j < 6; ++j) store(i, j, v, row[j], true);
      return;
    }
    if (add_left) {
      for (int j = 0; j < 2; ++j) store(i, j, v, row[j], true);
    } else {
      for (int j = 0; j < 2; ++j) store(i, j, v, row[j], false);
    }
    for (int j = 2; j < 6; ++j) store(i, j, v, row[j], false);
  }
};

struct TileSource {
  const float* data;
  int64_t position_stride;
  HWY_INLINE Vector operator()(int i, int j, int v) const {
    return hn::LoadU(Floats(), data + (i * 6 + j) * position_stride + v * lanes);
  }
};

struct TileTarget {
  float* data;
  int64_t position_stride;
  HWY_INLINE void operator()(int i, int v, const Vector row[6]) const {
    for (int j = 0; j < 6; ++j) {
      hn::StoreU(row[j], Floats(), data + (i * 6 + j) * position_stride + v * lanes);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif
