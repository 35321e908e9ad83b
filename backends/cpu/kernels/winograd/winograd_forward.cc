
#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/winograd/winograd.h"
#include "backends/cpu/kernels/winograd/winograd_layout.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Bytes of transformed input and products of a chunk. Half of a usual second-level cache.
constexpr int64_t chunk_bytes = 256 * 1024;
// Fewer tiles than this would read the transformed weights too often.
constexpr int64_t least_tiles = 72;
// Output channels whose products are held at a time.
constexpr int64_t channel_block = 64;

struct WinogradForward final : ConvolutionForward::Implementation {
  WinogradForward(const ConvolutionShape& shape, const ConvolutionForwardOptions& options,
                  int threads)
      : Implementation(shape, options), g(shape, options.dtype), kernels(winograd_kernels()) {
    padded_out = round_up_to(g.out_channels, kernels.panel);
    block = std::min(round_up_to(channel_block, kernels.panel), padded_out);
    const int64_t rows = g.batch * g.tiles_y;
    const int64_t tile_bytes = 4 * winograd_positions * (g.in_channels + block);
    const int64_t tiles = std::max(least_tiles, chunk_bytes / tile_bytes);
    // At least four chunks for each thread, so that a slow one does not hold up the rest.
    const int64_t most = std::max<int64_t>(1, rows / (4 * threads));
    chunk_rows = std::clamp<int64_t>(tiles / g.tiles_x, 1, most);
    chunks = (rows + chunk_rows - 1) / chunk_rows;
    slots = static_cast<int>(std::min<int64_t>(threads, chunks));
    input = WinogradBuffer(chunk_rows * g.tiles_x, g.in_channels);
    products = WinogradBuffer(chunk_rows * g.tiles_x, block);
  }

  ConvolutionMethod method() const override { return ConvolutionMethod::winograd; }

  // w and bias as f32, where they are not.
  int64_t widened_floats() const {
    return options.dtype == DType::f32 ? 0 : shape.weight_elements() + shape.out_channels;
  }
  int64_t weight_floats() const { return winograd_positions * g.in_channels * padded_out; }
  int64_t slot_floats() const { return round_up_to(input.floats() + products.floats(), 16); }
  struct Memory {
    Memory(const WinogradForward& plan, void* scratch) {
      ScratchCursor cursor(scratch);
      widened = cursor.take(plan.widened_floats());
      weights = cursor.take(plan.weight_floats());
      slots = cursor.take(plan.slots * plan.slot_floats());
      floats = cursor.taken();
    }
    float *widened, *weights, *slots;
    int64_t floats;
  };

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(Memory(*this, nullptr).floats);
  }

  void run(const ConvolutionForwardOperands& operands, void* scratch,
           ThreadPool& pool) const override {
    const Memory memory(*this, scratch);
    const float* w = widened(operands.w, shape.weight_elements(), memory.widened);
    const float* bias = nullptr;
    if (options.bias)
      bias = widened(operands.bias, shape.out_channels, memory.widened + shape.weight_elements());
    pool.parallel_for(g.in_channels, 8, [&](int64_t begin, int64_t end) {
      kernels.transform_weights(w, g.in_channels, g.out_channels, begin, end, memory.weights);
    });
    pool.parallel_tasks(chunks, slots, [&](int64_t chunk, int slot) {
      run_chunk(operands, memory.weights, bias, chunk, memory.slots + slot * slot_floats());
    });
  }

  const float* widened(const void* values, int64_t count, float* buffer) const {
    if (options.dtype == DType::f32) return static_cast<const float*>(values);
    widen_floats(options.dtype, values, buffer, count);
    return buffer;
  }

  void run_chunk(const ConvolutionForwardOperands& operands, const float* weights,
                 const float* bias, int64_t chunk, float* memory) const {
    const int64_t begin = chunk * chunk_rows,
                  end = std::min(begin + chunk_rows, g.batch * g.tiles_y);
    const WinogradTiles v = input.at(memory), m = products.at(memory + input.floats());
    for (int64_t row = begin; row < end; ++row) {
      kernels.transform_input(g, operands.x, row, (row - begin) * g.tiles_x, v);
    }
    for (int64_t first = 0; first < g.out_channels; first += block) {
      const int64_t count = std::min(block, g.out_channels - first);
      kernels.multiply(v, (end - begin) * g.tiles_x, g.in_channels, weights, g.out_channels, first,
                       count, m);
      for (int64_t row = begin; row < end; ++row) {
        kernels.transform_output(g, m, row, (row - begin) * g.tiles_x, first, count, bias,
                                 bounds(options), operands.y);
      }
    }
  }

  const WinogradGeometry g;
  const WinogradKernels& kernels;
  int64_t padded_out = 0, block = 0;
  int64_t chunk_rows = 1, chunks = 1;
  int slots = 1;
  WinogradBuffer input, products;
};

}  // namespace

bool winograd_can_do(const ConvolutionShape& s, DType dtype) {
  const auto small = [](int64_t padding) { return padding >= 0 && padding <= 2; };
  const bool float_type = dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
  return float_type && !s.has_depth() && s.kernel_height == 3 && s.kernel_width == 3 &&
         s.stride_height == 1 && s.stride_width == 1 && s.dilation_height == 1 &&
         s.dilation_width == 1 && s.groups == 1 && small(s.pad_top) && small(s.pad_bottom) &&
         small(s.pad_left) && small(s.pad_right);
}

ForwardImplementation make_winograd_forward(const ConvolutionShape& shape,
                                            const ConvolutionForwardOptions& options, int threads) {
  return std::make_unique<WinogradForward>(shape, options, threads);
}

}  // namespace kernels
}  // namespace systolic::inline v0
