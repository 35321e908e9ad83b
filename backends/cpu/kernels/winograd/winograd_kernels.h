// The steps of a Winograd convolution F(4x4, 3x3), each over a row of tiles or a range of channels.
// Internal.
//
// With the transforms of Lavin and Gray ("Fast Algorithms for Convolutional Neural Networks", CVPR
// 2016, section 4.3)
//   forward          y = A^T [ (G w G^T) . (B^T x B) ] A     per 4x4 tile of y, from a 6x6 window
//   of x
// and the gradients in adjoint form, which share D = A dy A^T:
//   with respect to x   dx += B [ D . (G w G^T) ] B^T        summed where windows overlap
//   with respect to w   dw  = G^T [ sum over tiles of V . D ] G
// the products over channels become 36 matrix products, one for each position of the 6x6 window.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/convolution/convolution.h"
#include "backends/cpu/kernels/product_end.h"

namespace systolic::inline v0 {
namespace kernels {

inline constexpr int64_t winograd_positions = 36;

// What the steps need to know of a convolution.
struct WinogradGeometry {
  WinogradGeometry(const ConvolutionShape& s, DType dtype)
      : dtype(dtype),
        batch(s.batch),
        height(s.height),
        width(s.width),
        in_channels(s.in_channels),
        out_channels(s.out_channels),
        out_height(s.out_height()),
        out_width(s.out_width()),
        pad_top(s.pad_top),
        pad_left(s.pad_left),
        tiles_y((out_height + 3) / 4),
        tiles_x((out_width + 3) / 4) {}

  DType dtype;  // of pixels in memory: f32, bf16 or f16; all else is f32
  int64_t batch, height, width, in_channels, out_channels, out_height, out_width, pad_top, pad_left;
  int64_t tiles_y,
      tiles_x;  // 4x4 tiles of the output; a row of tiles is numbered image * tiles_y + row
};

// Transformed tiles: element (position, tile, channel) is at position * position_stride + tile *
// tile_stride + channel.
struct WinogradTiles {
  float* data = nullptr;
  int64_t position_stride = 0, tile_stride = 0;
};

struct WinogradKernels {
  int64_t panel;  // channels that the inner kernel takes at a time: weights are transformed into
                  // panels of as many
  int64_t rows;   // rows (tiles or input channels) that it takes at a time

  // G w G^T of `rows` x `columns` filters w[tap][row][column], for rows in [begin, end), into
  // panels: element (position, row, column) at ((position * panels + column / panel) * rows + row)
  // * panel + column % panel.
  void (*transform_weights)(const float* w, int64_t rows, int64_t columns, int64_t begin,
                            int64_t end, float* panels);
  // target[column][row] = w[row][column] for one tap.
  void (*transpose_weights)(const float* w, int64_t rows, int64_t columns, float* target);
  // B^T x B for one row of tiles, written from tile `first` on.
  void (*transform_input)(const WinogradGeometry& g, const void* x, int64_t tile_row, int64_t first,
                          const WinogradTiles& v);
  // products[p][tile][j] = sum over k of tiles[p][tile][k] * panels[p][k][first + j] for j in [0,
  // count).
  void (*multiply)(const WinogradTiles& tiles, int64_t tile_count, int64_t k, const float* panels,
                   int64_t columns, int64_t first, int64_t count, const WinogradTiles& products);
  // A^T m A, plus bias, then within the bounds, for output channels [first, first + count) of one
  // row of tiles, into y.
  void (*transform_output)(const WinogradGeometry& g, const WinogradTiles& m, int64_t tile_row,
                           int64_t first_tile, int64_t first, int64_t count, const float* bias,
                           const Bounds& bounds, void* y);
  // A dy A^T for one row of tiles; dy counts where y > 0 if y is given. Channels up to the next
  // multiple of the panel are zeroed. Adds the sums of dy to bias_gradient[channel] if that is
  // given.
  void (*transform_gradient)(const WinogradGeometry& g, const void* dy, const void* y,
                             int64_t tile_row, int64_t first, const WinogradTiles& d,
                             float* bias_gradient);
  // sums[p][c][k] (+)= sum over tiles of v[p][tile][c] * d[p][tile][k] for one position, c in
  // [begin, end) and all k up to a multiple of the panel; row c of a position is `stride` floats.
  void (*accumulate_weights)(const WinogradTiles& v, const WinogradTiles& d, int64_t tile_count,
                             int64_t position, int64_t begin, int64_t end, int64_t out_channels,
                             float* sums, int64_t in_channels, bool add);
  // B m B^T for input channels [first, first + count) of one row of tiles, added into dx. Elements
  // that no earlier tile of the image has written are overwritten: tiles of an image must come in
  // order.
  void (*transform_input_gradient)(const WinogradGeometry& g, const WinogradTiles& m,
                                   int64_t tile_row, int64_t first_tile, int64_t first,
                                   int64_t count, void* dx);
  // G^T u G for input channels [begin, end), u being the sum of `slices` arrays `slice_stride`
  // apart.
  void (*transform_weight_gradient)(const WinogradGeometry& g, const float* sums, int64_t slices,
                                    int64_t slice_stride, int64_t begin, int64_t end, float* dw);
};

// Those for this processor.
const WinogradKernels& winograd_kernels();

}  // namespace kernels
}  // namespace systolic::inline v0
