#include "backends/cpu/kernels/winograd/winograd_kernels.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "backends/cpu/kernels/streaming.h"
#include "systolic/core/float_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/winograd/winograd_kernels.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "backends/cpu/kernels/matmul/gemm-inl.h"
#include "backends/cpu/kernels/matmul/pack-inl.h"
#include "backends/cpu/kernels/older_highway-inl.h"
#include "backends/cpu/kernels/winograd/winograd_tiles-inl.h"
#include "backends/cpu/kernels/winograd/winograd_transforms-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

// For each transform: one line of channels of one tile, or one vector of which `valid` channels
// exist; all channels of one tile; one row of tiles.

inline constexpr int64_t line = line_vectors * lanes;

template <bool inside, class T>
void input_tile(const Window& window, const T* image, int64_t channels, float* tile,
                int64_t position_stride) {
  int64_t c = 0;
  for (; c + line <= channels; c += line) {
    transform_2d<6, 6, transform_window, line_vectors>(
        PixelSource<inside, true, T>{window, image + c, lanes},
        TileTarget{tile + c, position_stride});
  }
  for (; c < channels; c += lanes) {
    transform_2d<6, 6, transform_window, 1>(
        PixelSource<inside, false, T>{window, image + c, channels - c},
        TileTarget{tile + c, position_stride});
  }
}

template <class T>
void input_row(const WinogradGeometry& g, const T* x, int64_t tile_row, int64_t first,
               const WinogradTiles& v) {
  const int64_t image = tile_row / g.tiles_y, ty = tile_row % g.tiles_y;
  const T* pixels = x + image * g.height * g.width * g.in_channels;
  for (int64_t tx = 0; tx < g.tiles_x; ++tx) {
    const Window window(g.height, g.width, g.in_channels, ty * 4 - g.pad_top, tx * 4 - g.pad_left,
                        6);
    float* tile = v.data + (first + tx) * v.tile_stride;
    const auto transform = window.inside ? input_tile<true, T> : input_tile<false, T>;
    transform(window, pixels, g.in_channels, tile, v.position_stride);
  }
}

struct OutputEnd {
  float least, most;
  bool stream;
};

template <bool inside, bool whole, int vectors, class T>
HWY_INLINE void output_line(const Window& window, const float* tile, int64_t position_stride,
                            int64_t valid, const float* bias, const OutputEnd& end, T* y) {
  Vector shift[vectors];
  for (int v = 0; v < vectors; ++v) {
    shift[v] = bias ? load_channels<whole>(bias + v * lanes, valid) : hn::Zero(Floats());
  }
  transform_2d<6, 4, transform_products, vectors>(
      TileSource{tile, position_stride},
      OutputTarget<inside, whole, T>{window, y, valid, shift, constant(end.least),
                                     constant(end.most), end.stream});
}

template <bool inside, class T>
void output_tile(const Window& window, const float* tile, int64_t position_stride, int64_t channels,
                 const float* bias, const OutputEnd& end, T* y) {
  const auto bias_at = [&](int64_t c) { return bias ? bias + c : nullptr; };
  int64_t c = 0;
  for (; c + line <= channels; c += line) {
    output_line<inside, true, line_vectors>(window, tile + c, position_stride, lanes, bias_at(c),
                                            end, y + c);
  }
  for (; c < channels; c += lanes) {
    output_line<inside, false, 1>(window, tile + c, position_stride, channels - c, bias_at(c), end,
                                  y + c);
  }
}

template <class T>
void output_row(const WinogradGeometry& g, const WinogradTiles& m, int64_t tile_row,
                int64_t first_tile, int64_t first, int64_t count, const float* bias,
                const Bounds& bounds, T* y) {
  const int64_t image = tile_row / g.tiles_y, ty = tile_row % g.tiles_y;
  T* pixels = y + image * g.out_height * g.out_width * g.out_channels + first;
  const int64_t row_bytes = g.out_channels * byte_width(g.dtype);
  const OutputEnd end{.least = bounds.least,
                      .most = bounds.most,
                      .stream = std::is_same_v<T, float> && has_whole_lines(pixels, row_bytes) &&
                                g.batch * g.out_height * g.out_width * row_bytes >= streamed_bytes};
  for (int64_t tx = 0; tx < g.tiles_x; ++tx) {
    const Window window(g.out_height, g.out_width, g.out_channels, ty * 4, tx * 4, 4);
    const float* tile = m.data + (first_tile + tx) * m.tile_stride;
    const auto transform = window.inside ? output_tile<true, T> : output_tile<false, T>;
    transform(window, tile, m.position_stride, count, bias ? bias + first : nullptr, end, pixels);
  }
  if (end.stream) hwy::FlushStream();
}

template <bool inside, bool whole, int vectors, class T>
HWY_INLINE void gradient_line(const Window& window, const T* dy, const T* y, int64_t valid,
                              float* tile, int64_t position_stride, float* bias_gradient) {
  Vector sums[vectors];
  for (int v = 0; v < vectors; ++v) sums[v] = hn::Zero(Floats());
  transform_2d<4, 6, transform_products_adjoint, vectors>(
      GradientSource<inside, whole, T>{window, dy, y, valid, sums},
      TileTarget{tile, position_stride});
  if (bias_gradient == nullptr) return;
  for (int v = 0; v < vectors; ++v) {
    float* sum = bias_gradient + v * lanes;
    store_channels<whole>(hn::Add(load_channels<whole>(sum, valid), sums[v]), valid, sum);
  }
}

template <bool inside, class T>
void gradient_tile(const Window& window, const T* dy, const T* y, int64_t channels, float* tile,
                   int64_t position_stride, float* bias_gradient) {
  const auto y_at = [&](int64_t c) { return y ? y + c : nullptr; };
  const auto sum_at = [&](int64_t c) { return bias_gradient ? bias_gradient + c : nullptr; };
  int64_t c = 0;
  for (; c + line <= channels; c += line) {
    gradient_line<inside, true, line_vectors>(window, dy + c, y_at(c), lanes, tile + c,
                                              position_stride, sum_at(c));
  }
  for (; c < channels; c += lanes) {
    gradient_line<inside, false, 1>(window, dy + c, y_at(c), channels - c, tile + c,
                                    position_stride, sum_at(c));
  }
}

template <class T>
void gradient_row(const WinogradGeometry& g, const T* dy, const T* y, int64_t tile_row,
                  int64_t first, const WinogradTiles& d, float* bias_gradient) {
  const int64_t image = tile_row / g.tiles_y, ty = tile_row % g.tiles_y, channels = g.out_channels;
  const int64_t offset = image * g.out_height * g.out_width * channels, p = d.position_stride;
  const int64_t written = (channels + lanes - 1) / lanes * lanes, end = padded(channels);
  for (int64_t tx = 0; tx < g.tiles_x; ++tx) {
    const Window window(g.out_height, g.out_width, channels, ty * 4, tx * 4, 4);
    float* tile = d.data + (first + tx) * d.tile_stride;
    const auto transform = window.inside ? gradient_tile<true, T> : gradient_tile<false, T>;
    transform(window, dy + offset, y ? y + offset : nullptr, channels, tile, p, bias_gradient);
    for (int64_t position = 0; written < end && position < winograd_positions; ++position) {
      std::fill(tile + position * p + written, tile + position * p + end, 0.0f);
    }
  }
}

template <bool inside, class T>
void input_gradient_tile(const Window& window, const float* tile, int64_t position_stride,
                         int64_t channels, bool add_top, bool add_left, T* dx) {
  int64_t c = 0;
  for (; c + line <= channels; c += line) {
    transform_2d<6, 6, transform_window_adjoint, line_vectors>(
        TileSource{tile + c, position_stride},
        AddingTarget<inside, true, T>{window, dx + c, lanes, add_top, add_left});
  }
  for (; c < channels; c += lanes) {
    transform_2d<6, 6, transform_window_adjoint, 1>(
        TileSource{tile + c, position_stride},
        AddingTarget<inside, false, T>{window, dx + c, channels - c, add_top, add_left});
  }
}

template <class T>
void input_gradient_row(const WinogradGeometry& g, const WinogradTiles& m, int64_t tile_row,
                        int64_t first_tile, int64_t first, int64_t count, T* dx) {
  const int64_t image = tile_row / g.tiles_y, ty = tile_row % g.tiles_y;
  T* pixels = dx + image * g.height * g.width * g.in_channels + first;
  for (int64_t tx = 0; tx < g.tiles_x; ++tx) {
    const Window window(g.height, g.width, g.in_channels, ty * 4 - g.pad_top, tx * 4 - g.pad_left,
                        6);
    const float* tile = m.data + (first_tile + tx) * m.tile_stride;
    const auto transform =
        window.inside ? input_gradient_tile<true, T> : input_gradient_tile<false, T>;
    // The first two rows and columns of a window belong to the tile before as well.
    transform(window, tile, m.position_stride, count, ty > 0, tx > 0, pixels);
  }
}

// The same by the type of memory.

void transform_input(const WinogradGeometry& g, const void* x, int64_t tile_row, int64_t first,
                     const WinogradTiles& v) {
  switch (g.dtype) {
    case DType::bf16:
      return input_row(g, static_cast<const bfloat16*>(x), tile_row, first, v);
    case DType::f16:
      return input_row(g, static_cast<const float16*>(x), tile_row, first, v);
    default:
      return input_row(g, static_cast<const float*>(x), tile_row, first, v);
  }
}

void transform_output(const WinogradGeometry& g, const WinogradTiles& m, int64_t tile_row,
                      int64_t first_tile, int64_t first, int64_t count, const float* bias,
                      const Bounds& bounds, void* y) {
  const auto run = [&](auto* pixels) {
    output_row(g, m, tile_row, first_tile, first, count, bias, bounds, pixels);
  };
  switch (g.dtype) {
    case DType::bf16:
      return run(static_cast<bfloat16*>(y));
    case DType::f16:
      return run(static_cast<float16*>(y));
    default:
      return run(static_cast<float*>(y));
  }
}

void transform_gradient(const WinogradGeometry& g, const void* dy, const void* y, int64_t tile_row,
                        int64_t first, const WinogradTiles& d, float* bias_gradient) {
  const auto run = [&](const auto* gradient) {
    gradient_row(g, gradient, static_cast<decltype(gradient)>(y), tile_row, first, d,
                 bias_gradient);
  };
  switch (g.dtype) {
    case DType::bf16:
      return run(static_cast<const bfloat16*>(dy));
    case DType::f16:
      return run(static_cast<const float16*>(dy));
    default:
      return run(static_cast<const float*>(dy));
  }
}

void transform_input_gradient(const WinogradGeometry& g, const WinogradTiles& m, int64_t tile_row,
                              int64_t first_tile, int64_t first, int64_t count, void* dx) {
  const auto run = [&](auto* pixels) {
    input_gradient_row(g, m, tile_row, first_tile, first, count, pixels);
  };
  switch (g.dtype) {
    case DType::bf16:
      return run(static_cast<bfloat16*>(dx));
    case DType::f16:
      return run(static_cast<float16*>(dx));
    default:
      return run(static_cast<float*>(dx));
  }
}

struct FilterSource {
  const float* w;  // tap 0
  int64_t tap_stride;
  hn::Mask<Floats> mask;
  HWY_INLINE Vector operator()(int i, int j, int) const {
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
      transform_2d<3, 6, transform_filter, 1>(
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
  HWY_INLINE Vector operator()(int i, int j, int) const {
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
  hn::Mask<Floats> mask;
  HWY_INLINE void operator()(int i, int, const Vector row[3]) const {
    for (int j = 0; j < 3; ++j) store_masked(row[j], mask, Floats(), dw + (i * 3 + j) * tap_stride);
  }
};

void transform_weight_gradient(const WinogradGeometry& g, const float* sums, int64_t slices,
                               int64_t slice_stride, int64_t begin, int64_t end, float* dw) {
  const int64_t row = padded(g.out_channels);
  for (int64_t c = begin; c < end; ++c) {
    for (int64_t k = 0; k < g.out_channels; k += lanes) {
      transform_2d<6, 3, transform_filter_adjoint, 1>(
          SlicesSource{sums + c * row + k, g.in_channels * row, slices, slice_stride},
          FilterTarget{dw + c * g.out_channels + k, g.in_channels * g.out_channels,
                       mask_of(g.out_channels - k)});
    }
  }
}

void multiply(const WinogradTiles& tiles, int64_t tile_count, int64_t k, const float* panels,
              int64_t columns, int64_t first, int64_t count, const WinogradTiles& products) {
  // So much of k at a time that a panel of weights stays in the first-level cache.
  constexpr int64_t most = 256;
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
