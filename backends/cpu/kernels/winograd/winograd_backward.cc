#include <algorithm>

#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/winograd/winograd.h"
#include "backends/cpu/kernels/winograd/winograd_layout.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Transformed weight gradients up to this size are summed by each thread for itself.
constexpr int64_t own_sums_bytes = 1536 * 1024;
// Bytes of transformed x and dy of a chunk: of one thread, and of all together.
constexpr int64_t own_chunk_bytes = 320 * 1024;
constexpr int64_t shared_chunk_bytes = 16 * 1024 * 1024;
constexpr int64_t least_tiles = 72;
// Input channels and tiles whose products are held at a time on the way to dx.
constexpr int64_t channel_block = 64;
constexpr int64_t product_tiles = 72;
// Rows of the transformed weight gradient in one task: a multiple of every inner kernel's rows.
constexpr int64_t weight_rows = 48;

struct WinogradBackward final : ConvolutionBackward::Implementation {
  WinogradBackward(const ConvolutionShape& shape, const ConvolutionBackwardOptions& options,
                   int threads)
      : Implementation(shape, options),
        g(shape, options.dtype),
        kernels(winograd_kernels()),
        threads(threads) {
    padded_in = round_up_to(g.in_channels, kernels.panel);
    padded_out = round_up_to(g.out_channels, kernels.panel);
    block = std::min(round_up_to(channel_block, kernels.panel), padded_in);
    const int64_t sums_bytes = 4 * winograd_positions * g.in_channels * padded_out;
    shared = (options.weights && sums_bytes > own_sums_bytes) || g.batch < threads;
    areas = shared ? 1 : threads;
    // More slices than threads even out slow threads; each costs a sum.
    slices =
        shared ? 1 : std::min<int64_t>(g.batch, sums_bytes > 512 * 1024 ? threads : 4 * threads);
    choose_chunk();
    input = WinogradBuffer(chunk_rows * g.tiles_x, g.in_channels);
    gradient = WinogradBuffer(chunk_rows * g.tiles_x, padded_out);
    products = WinogradBuffer(product_rows * g.tiles_x, block);
  }

  // Chunks are whole images, or rows of one image.
  void choose_chunk() {
    const int64_t tile_bytes = 4 * winograd_positions * (g.in_channels + padded_out);
    int64_t tiles =
        std::max(least_tiles, (shared ? shared_chunk_bytes : own_chunk_bytes) / tile_bytes);
    if (shared) tiles = std::max(tiles, 2 * threads * g.tiles_x);
    const int64_t images = (g.batch + slices - 1) / slices;
    chunk_rows = std::clamp<int64_t>(tiles / g.tiles_x, 1, images * g.tiles_y);
    if (chunk_rows > g.tiles_y) chunk_rows = chunk_rows / g.tiles_y * g.tiles_y;
    product_rows = std::clamp<int64_t>(product_tiles / g.tiles_x, 1, chunk_rows);
    // Images are not cut between threads here, because neighbouring rows of tiles write the same
    // pixels of dx.
    group_rows = std::min(chunk_rows, round_up_to(product_rows, g.tiles_y));
  }

  ConvolutionMethod method() const override { return ConvolutionMethod::winograd; }

  int64_t weight_floats() const {
    return options.data ? winograd_positions * g.out_channels * padded_in : 0;
  }
  int64_t transposed_floats() const {
    return options.data ? 9 * g.in_channels * g.out_channels : 0;
  }
  int64_t sums_floats() const {
    return options.weights ? round_up_to(winograd_positions * g.in_channels * padded_out, 16) : 0;
  }
  int64_t bias_floats() const { return round_up_to(g.out_channels, 16); }
  int64_t area_floats() const {
    return (options.weights ? input.floats() : 0) + gradient.floats() + chunk_rows * bias_floats();
  }
  int64_t product_floats() const { return options.data ? products.floats() : 0; }

  // What lies where in scratch memory.
  struct Memory {
    Memory(const WinogradBackward& plan, void* scratch) {
      ScratchCursor cursor(scratch);
      plain = cursor.take(plan.options.dtype == DType::f32 ? 0 : plan.shape.weight_elements());
      transposed = cursor.take(plan.transposed_floats());
      weights = cursor.take(plan.weight_floats());
      sums = cursor.take(plan.slices * plan.sums_floats());
      bias = cursor.take(plan.slices * plan.bias_floats());
      areas = cursor.take(plan.areas * plan.area_floats());
      products = cursor.take(plan.threads * plan.product_floats());
      floats = cursor.taken();
    }
    float* plain;  // weights or their gradients in f32, where w and dw are not
    float *transposed, *weights, *sums, *bias, *areas, *products;
    int64_t floats;
  };

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(Memory(*this, nullptr).floats);
  }

  void run(const ConvolutionBackwardOperands& operands, void* scratch,
           ThreadPool& pool) const override {
    const Memory memory(*this, scratch);
    if (options.data) prepare_weights(operands, memory, pool);
    if (shared) {
      run_slice(operands, memory, 0, 0, 0, threads, pool);
    } else {
      pool.parallel_tasks(slices, threads, [&](int64_t slice, int slot) {
        run_slice(operands, memory, slice, slot, slot, 1, pool);
      });
    }
    if (options.weights) finish_weights(operands, memory, pool);
    if (options.bias_gradient) {
      for (int64_t slice = 1; slice < slices; ++slice)
        add_to(memory.bias, memory.bias + slice * bias_floats());
      narrow_floats(options.dtype, memory.bias, operands.db, g.out_channels);
    }
  }

  void finish_weights(const ConvolutionBackwardOperands& operands, const Memory& memory,
                      ThreadPool& pool) const {
    const bool direct = options.dtype == DType::f32;
    float* dw = direct ? static_cast<float*>(operands.dw) : memory.plain;
    pool.parallel_for(g.in_channels, 4, [&](int64_t begin, int64_t end) {
      kernels.transform_weight_gradient(g, memory.sums, slices, sums_floats(), begin, end, dw);
    });
    if (!direct) narrow_floats(options.dtype, dw, operands.dw, shape.weight_elements());
  }

  void prepare_weights(const ConvolutionBackwardOperands& operands, const Memory& memory,
                       ThreadPool& pool) const {
    const int64_t tap_floats = g.in_channels * g.out_channels;
    const auto* w = static_cast<const float*>(operands.w);
    if (options.dtype != DType::f32) {
      widen_floats(options.dtype, operands.w, memory.plain, shape.weight_elements());
      w = memory.plain;
    }
    pool.parallel_for(9, 1, [&](int64_t begin, int64_t end) {
      for (int64_t tap = begin; tap < end; ++tap) {
        kernels.transpose_weights(w + tap * tap_floats, g.in_channels, g.out_channels,
                                  memory.transposed + tap * tap_floats);
      }
    });
    pool.parallel_for(g.out_channels, 8, [&](int64_t begin, int64_t end) {
      kernels.transform_weights(memory.transposed, g.out_channels, g.in_channels, begin, end,
                                memory.weights);
    });
  }

  // The images of one slice, chunk after chunk. Products use `product_slots` buffers from the given
  // one on.
  void run_slice(const ConvolutionBackwardOperands& operands, const Memory& memory, int64_t slice,
                 int64_t area, int64_t first_product, int product_slots, ThreadPool& pool) const {
    float* area_memory = memory.areas + area * area_floats();
    float* products_memory = memory.products + first_product * product_floats();
    float* bias = memory.bias + slice * bias_floats();
    std::fill(bias, bias + bias_floats(), 0.0f);
    const int64_t end = g.batch * (slice + 1) / slices * g.tiles_y;
    bool add = false;
    for (int64_t row = g.batch * slice / slices * g.tiles_y; row < end;) {
      const int64_t image_end = (row / g.tiles_y + 1) * g.tiles_y;
      const int64_t chunk_end =
          std::min({row + chunk_rows, end, chunk_rows < g.tiles_y ? image_end : end});
      run_chunk(operands, memory, row, chunk_end, area_memory, memory.sums + slice * sums_floats(),
                add, bias, products_memory, product_slots, pool);
      row = chunk_end;
      add = true;
    }
  }

  // One chunk in three phases; inside a slice they run on the calling thread.
  void run_chunk(const ConvolutionBackwardOperands& operands, const Memory& memory, int64_t begin,
                 int64_t end, float* area, float* sums, bool add, float* bias,
                 float* products_memory, int product_slots, ThreadPool& pool) const {
    const WinogradTiles d = gradient.at(area), v = input.at(area + gradient.floats());
    float* row_bias = area + area_floats() - chunk_rows * bias_floats();
    transform(operands, begin, end, v, d, row_bias, pool);
    if (options.bias_gradient) {
      for (int64_t row = 0; row < end - begin; ++row) add_to(bias, row_bias + row * bias_floats());
    }
    if (options.weights) {
      const int64_t blocks = (g.in_channels + weight_rows - 1) / weight_rows;
      pool.parallel_for(winograd_positions * blocks, 1, [&](int64_t first, int64_t last) {
        for (int64_t task = first; task < last; ++task) {
          const int64_t channel = task % blocks * weight_rows;
          kernels.accumulate_weights(v, d, (end - begin) * g.tiles_x, task / blocks, channel,
                                     std::min(channel + weight_rows, g.in_channels), g.out_channels,
                                     sums, g.in_channels, add);
        }
      });
    }
    if (options.data)
      data_gradient(operands, memory.weights, begin, end, d, products_memory, product_slots, pool);
  }

  void transform(const ConvolutionBackwardOperands& operands, int64_t begin, int64_t end,
                 const WinogradTiles& v, const WinogradTiles& d, float* row_bias,
                 ThreadPool& pool) const {
    const void* mask = options.relu_mask ? operands.y : nullptr;
    pool.parallel_for(end - begin, 1, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        if (options.weights) {
          kernels.transform_input(g, operands.x, begin + row, row * g.tiles_x, v);
        }
        float* sum = options.bias_gradient ? row_bias + row * bias_floats() : nullptr;
        if (sum) std::fill(sum, sum + bias_floats(), 0.0f);
        kernels.transform_gradient(g, operands.dy, mask, begin + row, row * g.tiles_x, d, sum);
      }
    });
  }

  // dx for groups of images and blocks of channels, each one task: no two tasks write the same
  // element.
  void data_gradient(const ConvolutionBackwardOperands& operands, const float* weights,
                     int64_t begin, int64_t end, const WinogradTiles& d, float* products_memory,
                     int product_slots, ThreadPool& pool) const {
    const int64_t blocks = (g.in_channels + block - 1) / block;
    const int64_t groups = (end - begin + group_rows - 1) / group_rows;
    pool.parallel_tasks(groups * blocks, product_slots, [&](int64_t task, int slot) {
      const WinogradTiles m = products.at(products_memory + slot * product_floats());
      const int64_t group_begin = begin + task / blocks * group_rows;
      const int64_t channel = task % blocks * block;
      const int64_t group_end = std::min(group_begin + group_rows, end);
      for (int64_t row = group_begin; row < group_end; row += product_rows) {
        product_rows_to_dx(operands, weights, d, begin, row,
                           std::min(row + product_rows, group_end), channel, m);
      }
    });
  }

  void product_rows_to_dx(const ConvolutionBackwardOperands& operands, const float* weights,
                          const WinogradTiles& d, int64_t chunk_begin, int64_t begin, int64_t end,
                          int64_t channel, const WinogradTiles& m) const {
    const int64_t count = std::min(block, g.in_channels - channel);
    WinogradTiles tiles = d;
    tiles.data += (begin - chunk_begin) * g.tiles_x * d.tile_stride;
    kernels.multiply(tiles, (end - begin) * g.tiles_x, g.out_channels, weights, g.in_channels,
                     channel, count, m);
    for (int64_t row = begin; row < end; ++row) {
      kernels.transform_input_gradient(g, m, row, (row - begin) * g.tiles_x, channel, count,
                                       operands.dx);
    }
  }

  void add_to(float* sum, const float* values) const {
    for (int64_t c = 0; c < g.out_channels; ++c) sum[c] += values[c];
  }

  const WinogradGeometry g;
  const WinogradKernels& kernels;
  const int threads;
  bool shared = false;  // all threads work on one chunk
  int64_t areas = 1, slices = 1;
  int64_t padded_in = 0, padded_out = 0, block = 0;
  int64_t chunk_rows = 1, group_rows = 1, product_rows = 1;
  WinogradBuffer input, gradient, products;
};

}  // namespace

BackwardImplementation make_winograd_backward(const ConvolutionShape& shape,
                                              const ConvolutionBackwardOptions& options,
                                              int threads) {
  return std::make_unique<WinogradBackward>(shape, options, threads);
}

}  // namespace kernels
}  // namespace systolic::inline v0
