#include "backends/cpu/kernels/winograd_kernels.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/winograd_kernels.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "backends/cpu/kernels/gemm-inl.h"
#include "backends/cpu/kernels/pack-inl.h"
#include "backends/cpu/kernels/winograd_transforms-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

using Mask = hn::Mask<Floats>;

inline int64_t padded(int64_t channels) {
  return (channels + tile_columns - 1) / tile_columns * tile_columns;
}

// Loads and stores of a vector of channels of which only `valid` exist; `whole` says that all do.
template <bool whole>
HWY_INLINE Vector load_channels(const float* from, Mask mask) {
  if constexpr (whole) return hn::LoadU(Floats(), from);
  return hn::MaskedLoad(mask, Floats(), from);
}
template <bool whole>
HWY_INLINE void store_channels(Vector value, Mask mask, float* to) {
  if constexpr (whole) return hn::StoreU(value, Floats(), to);
  hn::BlendedStore(value, mask, Floats(), to);
}
HWY_INLINE Mask mask_of(int64_t valid) {
  return hn::FirstN(Floats(), static_cast<size_t>(std::clamp<int64_t>(valid, 0, lanes)));
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

template <bool inside, bool whole>
struct PixelSource {
  const Window& window;
  const float* image;  // at the first channel
  Mask mask;
  HWY_INLINE Vector operator()(int i, int j) const {
    if (!inside && !window.has(i, j)) return hn::Zero(Floats());
    return load_channels<whole>(image + window.at(i, j), mask);
  }
};

// dy where y > 0, summed up on the way.
template <bool inside, bool whole>
struct GradientSource {
  const Window& window;
  const float* dy;
  const float* y;  // or null
  Mask mask;
  Vector& sum;
  HWY_INLINE Vector operator()(int i, int j) const {
    if (!inside && !window.has(i, j)) return hn::Zero(Floats());
    Vector value = load_channels<whole>(dy + window.at(i, j), mask);
    if (y != nullptr) {
      const Vector output = load_channels<whole>(y + window.at(i, j), mask);
      value = hn::IfThenElseZero(hn::Gt(output, hn::Zero(Floats())), value);
    }
    sum = hn::Add(sum, value);
    return value;
  }
};

// max(value + bias, least) into the pixels of y that exist.
template <bool inside, bool whole>
struct OutputTarget {
  const Window& window;
  float* y;
  Mask mask;
  Vector bias, least;
  HWY_INLINE void operator()(int i, int j, Vector value) const {
    if (!inside && !window.has(i, j)) return;
    // In this order a NaN stays.
    store_channels<whole>(hn::Max(least, hn::Add(value, bias)), mask, y + window.at(i, j));
  }
};

template <bool inside, bool whole>
struct AddingTarget {
  const Window& window;
  float* dx;
  Mask mask;
  int i_fresh, j_fresh;  // pixels from here on have not been written yet
  HWY_INLINE void operator()(int i, int j, Vector value) const {
    if (!inside && !window.has(i, j)) return;
    float* to = dx + window.at(i, j);
    if (i < i_fresh || j < j_fresh) value = hn::Add(value, load_channels<whole>(to, mask));
    store_channels<whole>(value, mask, to);
  }
};

struct TileSource {
  const float* data;
  int64_t position_stride;
  HWY_INLINE Vector operator()(int i, int j) const {
    return hn::LoadU(Floats(), data + (i * 6 + j) * position_stride);
  }
};

struct TileTarget {
  float* data;
  int64_t position_stride;
  HWY_INLINE void operator()(int i, int j, Vector value) const {
    hn::StoreU(value, Floats(), data + (i * 6 + j) * position_stride);
  }
};

template <bool inside, bool whole>
void input_tile(const Window& window, const float* image, int64_t channels, float* tile,
                int64_t position_stride) {
  for (int64_t c = 0; c < channels; c += lanes) {
    transform_2d<6, 6, transform_window>(
        PixelSource<inside, whole>{window, image + c, mask_of(channels - c)},
        TileTarget{tile + c, position_stride});
  }
}

void transform_input(const WinogradGeometry& g, const float* x, int64_t tile_row, int64_t first,
                     const WinogradTiles& v) {
  const int64_t image = tile_row / g.tiles_y, ty = tile_row % g.tiles_y,
                whole = g.in_channels / lanes * lanes;
  const float* pixels = x + image * g.height * g.width * g.in_channels;
  for (int64_t tx = 0; tx < g.tiles_x; ++tx) {
    const Window window(g.height, g.width, g.in_channels, ty * 4 - g.pad_top, tx * 4 - g.pad_left,
                        6);
    float* tile = v.data + (first + tx) * v.tile_stride;
    const int64_t rest = g.in_channels - whole;
    if (window.inside) {
      input_tile<true, true>(window, pixels, whole, tile, v.position_stride);
      if (rest)
        input_tile<true, false>(window, pixels + whole, rest, tile + whole, v.position_stride);
    } else {
      input_tile<false, true>(window, pixels, whole, tile, v.position_stride);
      if (rest)
        input_tile<false, false>(window, pixels + whole, rest, tile + whole, v.position_stride);
    }
  }
}

template <bool inside, bool whole>
void output_tile(const Window& window, const float* tile, int64_t position_stride, int64_t channels,
                 const float* bias, float least, float* y) {
  for (int64_t c = 0; c < channels; c += lanes) {
    const Mask mask = mask_of(channels - c);
    const Vector shift = bias ? load_channels<whole>(bias + c, mask) : hn::Zero(Floats());
    transform_2d<6, 4, transform_products>(
        TileSource{tile + c, position_stride},
        OutputTarget<inside, whole>{window, y + c, mask, shift, constant(least)});
  }
}

void transform_output(const WinogradGeometry& g, const WinogradTiles& m, int64_t tile_row,
                      int64_t first_tile, int64_t first, int64_t count, const float* bias,
                      bool relu, float* y) {
  const int64_t image = tile_row / g.tiles_y, ty = tile_row % g.tiles_y;
  const int64_t whole = count / lanes * lanes, rest = count - whole;
  const float least = relu ? 0.0f : -std::numeric_limits<float>::infinity();
  float* pixels = y + image * g.out_height * g.out_width * g.out_channels + first;
  const float* shift = bias ? bias + first : nullptr;
  const float* shift_rest = bias ? bias + first + whole : nullptr;
  for (int64_t tx = 0; tx < g.tiles_x; ++tx) {
    const Window window(g.out_height, g.out_width, g.out_channels, ty * 4, tx * 4, 4);
    const float* tile = m.data + (first_tile + tx) * m.tile_stride;
    const int64_t p = m.position_stride;
    if (window.inside) {
      output_tile<true, true>(window, tile, p, whole, shift, least, pixels);
      if (rest)
        output_tile<true, false>(window, tile + whole, p, rest, shift_rest, least, pixels + whole);
    } else {
      output_tile<false, true>(window, tile, p, whole, shift, least, pixels);
      if (rest)
        output_tile<false, false>(window, tile + whole, p, rest, shift_rest, least, pixels + whole);
    }
  }
}

template <bool inside, bool whole>
void gradient_tile(const Window& window, const float* dy, const float* y, int64_t channels,
                   float* tile, int64_t position_stride, float* bias_gradient) {
  for (int64_t c = 0; c < channels; c += lanes) {
    const Mask mask = mask_of(channels - c);
    Vector sum = hn::Zero(Floats());
    transform_2d<4, 6, transform_products_adjoint>(
        GradientSource<inside, whole>{window, dy + c, y ? y + c : nullptr, mask, sum},
        TileTarget{tile + c, position_stride});
    if (bias_gradient) {
      const Vector before = load_channels<whole>(bias_gradient + c, mask);
      store_channels<whole>(hn::Add(before, sum), mask, bias_gradient + c);
    }
  }
}

void transform_gradient(const WinogradGeometry& g, const float* dy, const float* y,
                        int64_t tile_row, int64_t first, const WinogradTiles& d,
                        float* bias_gradient) {
  const int64_t image = tile_row / g.tiles_y, ty = tile_row % g.tiles_y;
  const int64_t channels = g.out_channels, whole = channels / lanes * lanes,
                rest = channels - whole;
  const int64_t offset = image * g.out_height * g.out_width * channels;
  const float* outputs = y ? y + offset : nullptr;
  const float* outputs_rest = y ? y + offset + whole : nullptr;
  float* sums_rest = bias_gradient ? bias_gradient + whole : nullptr;
  for (int64_t tx = 0; tx < g.tiles_x; ++tx) {
    const Window window(g.out_height, g.out_width, channels, ty * 4, tx * 4, 4);
    float* tile = d.data + (first + tx) * d.tile_stride;
    const int64_t p = d.position_stride;
    if (window.inside) {
      gradient_tile<true, true>(window, dy + offset, outputs, whole, tile, p, bias_gradient);
      if (rest) {
        gradient_tile<true, false>(window, dy + offset + whole, outputs_rest, rest, tile + whole, p,
                                   sums_rest);
      }
    } else {
      gradient_tile<false, true>(window, dy + offset, outputs, whole, tile, p, bias_gradient);
      if (rest) {
        gradient_tile<false, false>(window, dy + offset + whole, outputs_rest, rest, tile + whole,
                                    p, sums_rest);
      }
    }
    const int64_t written = (channels + lanes - 1) / lanes * lanes, end = padded(channels);
    for (int64_t position = 0; written < end && position < winograd_positions; ++position) {
      std::fill(tile + position * p + written, tile + position * p + end, 0.0f);
    }
  }
}

template <bool inside, bool whole>
void input_gradient_tile(const Window& window, const float* tile, int64_t position_stride,
                         int64_t channels, int i_fresh, int j_fresh, float* dx) {
  for (int64_t c = 0; c < channels; c += lanes) {
    transform_2d<6, 6, transform_window_adjoint>(
        TileSource{tile + c, position_stride},
        AddingTarget<inside, whole>{window, dx + c, mask_of(channels - c), i_fresh, j_fresh});
  }
}

void transform_input_gradient(const WinogradGeometry& g, const WinogradTiles& m, int64_t tile_row,
                              int64_t first_tile, int64_t first, int64_t count, float* dx) {
  const int64_t image = tile_row / g.tiles_y, ty = tile_row % g.tiles_y;
  const int64_t whole = count / lanes * lanes, rest = count - whole;
  float* pixels = dx + image * g.height * g.width * g.in_channels + first;
  for (int64_t tx = 0; tx < g.tiles_x; ++tx) {
    const Window window(g.height, g.width, g.in_channels, ty * 4 - g.pad_top, tx * 4 - g.pad_left,
                        6);
    const float* tile = m.data + (first_tile + tx) * m.tile_stride;
    const int64_t p = m.position_stride;
    // The first two rows and columns of a window belong to the tile before as well.
    const int i = ty > 0 ? 2 : 0, j = tx > 0 ? 2 : 0;
    if (window.inside) {
      input_gradient_tile<true, true>(window, tile, p, whole, i, j, pixels);
      if (rest)
        input_gradient_tile<true, false>(window, tile + whole, p, rest, i, j, pixels + whole);
    } else {
      input_gradient_tile<false, true>(window, tile, p, whole, i, j, pixels);
      if (rest)
        input_gradient_tile<false, false>(window, tile + whole, p, rest, i, j, pixels + whole);
    }
  }
}

struct FilterSource {
  const float* w;  // tap 0
  int64_t tap_stride;
  Mask mask;
  HWY_INLINE Vector operator()(int i, int j) const {
    return hn::MaskedLoad(mask, Floats(), w + (i * 3 + j) * tap_stride);
  }
};

void transform_weights(const float* w, int64_t rows, int64_t columns, int64_t begin, int64_t end,
                       float* panels) {
  const int64_t position_stride = padded(columns) * rows;
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t column = 0; column < padded(columns); column += lanes) {
      float* target =
          panels + (column / tile_columns * rows + row) * tile_columns + column % tile_columns;
      // A vector wholly beyond the last column reads nothing, but its address must be one of w all
      // the same.
      const float* source = w + row * columns + std::min(column, columns - 1);
      transform_2d<3, 6, transform_filter>(
          FilterSource{source, rows * columns, mask_of(columns - column)},
          TileTarget{target, position_stride});
    }
  }
}

void transpose_weights(const float* w, int64_t rows, int64_t columns, float* target) {
  transpose_rows(w, columns, rows, columns, target, rows);
}

struct SlicesSource {
  const float* sums;
  int64_t position_stride, slices, slice_stride;
  HWY_INLINE Vector operator()(int i, int j) const {
    const float* from = sums + (i * 6 + j) * position_stride;
    Vector sum = hn::LoadU(Floats(), from);
    for (int64_t slice = 1; slice < slices; ++slice) {
      sum = hn::Add(sum, hn::LoadU(Floats(), from + slice * slice_stride));
    }
    return sum;
  }
};

struct FilterTarget {
  float* dw;
  int64_t tap_stride;
  Mask mask;
  HWY_INLINE void operator()(int i, int j, Vector value) const {
    hn::BlendedStore(value, mask, Floats(), dw + (i * 3 + j) * tap_stride);
  }
};

void transform_weight_gradient(const WinogradGeometry& g, const float* sums, int64_t slices,
                               int64_t slice_stride, int64_t begin, int64_t end, float* dw) {
  const int64_t row = padded(g.out_channels);
  for (int64_t c = begin; c < end; ++c) {
    for (int64_t k = 0; k < g.out_channels; k += lanes) {
      transform_2d<6, 3, transform_filter_adjoint>(
          SlicesSource{sums + c * row + k, g.in_channels * row, slices, slice_stride},
          FilterTarget{dw + c * g.out_channels + k, g.in_channels * g.out_channels,
                       mask_of(g.out_channels - k)});
    }
  }
}

void multiply(const WinogradTiles& tiles, int64_t tile_count, int64_t k, const float* panels,
              int64_t columns, int64_t first, int64_t count, const WinogradTiles& products) {
  constexpr int64_t most =
      256;  // of k at a time: a panel of weights then stays in the first-level cache
  const int64_t panel_floats = k * tile_columns, position_floats = padded(columns) * k;
  for (int64_t position = 0; position < winograd_positions; ++position) {
    const float* a = tiles.data + position * tiles.position_stride;
    const float* b = panels + position * position_floats + first / tile_columns * panel_floats;
    float* c = products.data + position * products.position_stride;
    for (int64_t begin = 0; begin < k; begin += most) {
      const Tile tile{std::min(most, k - begin), tiles.tile_stride, 1, tile_columns,
                      products.tile_stride,      begin > 0};
      for (int64_t j = 0; j < count; j += tile_columns) {
        multiply_panel(tile, tile_count, tile_rows * tiles.tile_stride, a + begin,
                       b + j / tile_columns * panel_floats + begin * tile_columns, c + j,
                       tile_columns);
      }
    }
  }
}

void accumulate_weights(const WinogradTiles& v, const WinogradTiles& d, int64_t tile_count,
                        int64_t position, int64_t begin, int64_t end, int64_t out_channels,
                        float* sums, int64_t in_channels, bool add) {
  constexpr int64_t most = 192;  // tiles at a time
  const int64_t row = padded(out_channels);
  float* c = sums + (position * in_channels + begin) * row;
  for (int64_t first = 0; first < tile_count; first += most) {
    const Tile tile{
        std::min(most, tile_count - first), 1, v.tile_stride, d.tile_stride, row, add || first > 0};
    const float* a = v.data + position * v.position_stride + first * v.tile_stride + begin;
    const float* b = d.data + position * d.position_stride + first * d.tile_stride;
    for (int64_t j = 0; j < row; j += tile_columns) {
      multiply_panel(tile, end - begin, tile_rows, a, b + j, c + j, tile_columns);
    }
  }
}

const WinogradKernels* kernels_table() {
  static const WinogradKernels table = {tile_columns,
                                        tile_rows,
                                        transform_weights,
                                        transpose_weights,
                                        transform_input,
                                        multiply,
                                        transform_output,
                                        transform_gradient,
                                        accumulate_weights,
                                        transform_input_gradient,
                                        transform_weight_gradient};
  return &table;
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(kernels_table);

const WinogradKernels& winograd_kernels() { return *HWY_DYNAMIC_DISPATCH(kernels_table)(); }

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
