#include "backends/cpu/kernels/convolution/convolution_amx.h"

#include <algorithm>

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/convolution/convolution_direct.h"
#include "backends/cpu/kernels/convolution/convolution_onednn.h"
#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/scratch_cursor.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using amx::block_edge;
using amx::step_depth;
using amx::tile_edge;

constexpr int64_t block_sums = block_edge * block_edge;
// Elements of dy whose packed form is kept at once: part of a second-level cache.
constexpr int64_t most_packed = 512 * 1024;

constexpr int64_t divided(int64_t size, int64_t by) { return (size + by - 1) / by; }

// Where a chunk of images lies when it is packed.
struct PackedImages {
  PackedImages(const ConvolutionShape& s, int threads)
      : width(s.width + s.pad_left + s.pad_right),
        height(s.height + s.pad_top + s.pad_bottom),
        taps(s.kernel_height * s.kernel_width),
        blocks_in(divided(s.in_channels, block_edge)),
        blocks_out(divided(s.out_channels, block_edge)) {
    steps = divided((s.out_height() - 1) * width + s.out_width(), step_depth);
    const int64_t last_shift =
        (s.kernel_height - 1) * s.dilation_height * width + (s.kernel_width - 1) * s.dilation_width;
    pairs = round_up_to(steps * step_depth + last_shift + 1, step_depth) / 2;
    images = std::clamp<int64_t>(most_packed / (steps * step_depth * blocks_out * block_edge), 1,
                                 s.batch);
    // Few blocks of channels give all threads work only if their taps are apart.
    tap_groups = std::min(taps, divided(4 * threads, blocks_in));
  }

  int64_t gradient_elements() const { return steps * step_depth * blocks_out * block_edge; }
  int64_t parity_elements() const { return pairs * 2 * blocks_in * block_edge; }
  int64_t padded_elements(int64_t channels) const { return height * width * channels; }

  int64_t width, height;  // of x with its padding
  int64_t taps, blocks_in, blocks_out;
  int64_t steps = 0;  // of the sum over the pixels of an image
  int64_t pairs = 0;  // of pixels of x, packed from the even or the odd ones on
  int64_t images = 1;
  int64_t tap_groups = 1;
};

class AmxBackward final : public ConvolutionBackward::Implementation {
 public:
  AmxBackward(const ConvolutionShape& shape, const ConvolutionBackwardOptions& options, int threads)
      : Implementation(shape, options), threads_(threads), packed_(shape, threads) {
    if (!options.data) return;
    ConvolutionBackwardOptions data = options;
    data.weights = data.bias_gradient = false;
    data_ = make_direct_backward(shape, data, threads);
  }

  bool is_complete() const { return !options.data || data_ != nullptr; }
  ConvolutionMethod method() const override { return ConvolutionMethod::direct; }

  size_t scratch_bytes() const override {
    const size_t own = sizeof(float) * static_cast<size_t>(Memory(*this, nullptr).floats);
    return std::max(own, data_ == nullptr ? 0 : data_->scratch_bytes());
  }

  void run(const ConvolutionBackwardOperands& operands, void* scratch,
           ThreadPool& pool) const override {
    if (data_ != nullptr) data_->run(operands, scratch, pool);
    const Memory memory(*this, scratch);
    for (int64_t first = 0; first < shape.batch; first += packed_.images) {
      const int64_t images = std::min(packed_.images, shape.batch - first);
      pool.parallel_tasks(2 * images, threads_, [&](int64_t task, int slot) {
        if (task % 2 == 0) {
          pack_gradient(operands, memory, first, task / 2, slot);
        } else {
          pack_input(operands, memory, first, task / 2, slot);
        }
      });
      pool.parallel_tasks(packed_.blocks_in * packed_.tap_groups, threads_,
                          [&](int64_t task, int) { multiply(memory, first, images, task); });
    }
    finish(operands, memory, pool);
  }

 private:
  // What lies where in scratch memory.
  struct Memory {
    Memory(const AmxBackward& plan, void* scratch) {
      const PackedImages& p = plan.packed_;
      ScratchCursor cursor(scratch);
      const auto take = [&](int64_t elements) {
        return reinterpret_cast<bfloat16*>(cursor.take((elements + 1) / 2));
      };
      gradient = take(p.images * p.gradient_elements());
      for (bfloat16*& parity : input) parity = take(p.images * p.parity_elements());
      flat_elements = std::max(p.steps * step_depth * plan.shape.out_channels,
                               p.padded_elements(plan.shape.in_channels));
      flat_elements = round_up_to(flat_elements, 32);
      flat = take(plan.threads_ * flat_elements);
      sums = cursor.take(p.blocks_in * p.taps * p.blocks_out * block_sums);
      bias = cursor.take(plan.options.bias_gradient
                             ? plan.shape.batch * round_up_to(plan.shape.out_channels, 16)
                             : 0);
      floats = cursor.taken();
    }
    bfloat16* gradient;  // [block of channels][image][step] of tiles
    bfloat16* input[2];  // by parity: [image][half a block of channels][pair]
    bfloat16* flat;      // of each thread: one image as it is packed from
    float* sums;         // [block in][tap][block out] of [out][in]
    float* bias;         // of each image
    int64_t flat_elements, floats;
  };

  // dy of one image where it counts, its rows as long as those of x.
  void flatten_gradient(const ConvolutionBackwardOperands& operands, int64_t image,
                        bfloat16* flat) const {
    const int64_t channels = shape.out_channels, run = shape.out_width() * channels;
    const int64_t row = packed_.width * channels, rows = shape.out_height();
    const int64_t all = packed_.steps * step_depth * channels;
    const auto* dy = static_cast<const bfloat16*>(operands.dy) + image * rows * run;
    for (int64_t i = 0; i < rows; ++i) {
      bfloat16* target = flat + i * row;
      if (options.relu_mask) {
        const auto* y = static_cast<const bfloat16*>(operands.y) + image * rows * run;
        direct::mask_bf16_by_relu(dy + i * run, y + i * run, run, target);
      } else {
        std::copy_n(dy + i * run, run, target);
      }
      std::fill(target + run, i + 1 == rows ? flat + all : target + row, bfloat16());
    }
  }

  void pack_gradient(const ConvolutionBackwardOperands& operands, const Memory& at, int64_t first,
                     int64_t image, int slot) const {
    bfloat16* flat = at.flat + slot * at.flat_elements;
    const int64_t channels = shape.out_channels, depth = packed_.steps * step_depth;
    flatten_gradient(operands, first + image, flat);
    if (options.bias_gradient) {
      add_pixels(flat, depth, at.bias + (first + image) * round_up_to(channels, 16));
    }
    for (int64_t step = 0; step < packed_.steps; ++step) {
      for (int64_t block = 0; block < packed_.blocks_out; ++block) {
        const int64_t begin = block * block_edge;
        bfloat16* panel = at.gradient + ((block * packed_.images + image) * packed_.steps + step) *
                                            amx::step_elements;
        amx::pack_left(flat + step * step_depth * channels + begin, 1, channels,
                       std::min(block_edge, channels - begin), step_depth, panel);
      }
    }
  }

  // sums[channel] = sum over pixels.
  void add_pixels(const bfloat16* pixels, int64_t count, float* sums) const {
    const int64_t channels = shape.out_channels;
    std::fill_n(sums, channels, 0.0f);
    for (int64_t i = 0; i < count; ++i) {
      const bfloat16* pixel = pixels + i * channels;
      for (int64_t j = 0; j < channels; ++j) sums[j] += static_cast<float>(pixel[j]);
    }
  }

  // One image of x; a copy with its padding where it has some.
  const bfloat16* padded_image(const ConvolutionBackwardOperands& operands, int64_t image,
                               bfloat16* flat) const {
    const ConvolutionShape& s = shape;
    const int64_t run = s.width * s.in_channels, row = packed_.width * s.in_channels;
    const auto* x = static_cast<const bfloat16*>(operands.x) + image * s.height * run;
    if (packed_.width == s.width && packed_.height == s.height) return x;
    std::fill_n(flat, packed_.padded_elements(s.in_channels), bfloat16());
    for (int64_t i = 0; i < s.height; ++i) {
      std::copy_n(x + i * run, run, flat + (i + s.pad_top) * row + s.pad_left * s.in_channels);
    }
    return flat;
  }

  void pack_input(const ConvolutionBackwardOperands& operands, const Memory& at, int64_t first,
                  int64_t image, int slot) const {
    const int64_t channels = shape.in_channels, pixels = packed_.height * packed_.width;
    const bfloat16* x = padded_image(operands, first + image, at.flat + slot * at.flat_elements);
    const int64_t half = packed_.pairs * 2 * tile_edge;  // elements of half a block of channels
    for (int64_t parity = 0; parity < 2; ++parity) {
      bfloat16* target = at.input[parity] + image * packed_.parity_elements();
      for (int64_t k = 0; k < 2 * packed_.pairs; k += step_depth) {
        const int64_t pixel = k + parity;
        const int64_t depth = std::clamp<int64_t>(pixels - pixel, 1, step_depth);
        for (int64_t c = 0; c < channels; c += block_edge) {
          bfloat16* tile = target + c / tile_edge * half + k * tile_edge;
          const amx::PackedRight panel{
              .data = tile, .step = step_depth * tile_edge, .second = half};
          if (pixel < pixels) {
            amx::pack_right(x + pixel * channels + c, channels, 1, depth,
                            std::min(block_edge, channels - c), panel);
          } else {
            std::fill_n(tile, step_depth * tile_edge, bfloat16());
            std::fill_n(tile + half, step_depth * tile_edge, bfloat16());
          }
        }
      }
    }
  }

  // Adds the chunk's products for one block of input channels and one group of taps.
  void multiply(const Memory& at, int64_t first, int64_t images, int64_t task) const {
    const amx::TileShape tiles;
    const PackedImages& p = packed_;
    const int64_t block_in = task / p.tap_groups, group = task % p.tap_groups;
    const int64_t half = p.pairs * 2 * tile_edge;
    const int64_t in_columns = shape.in_channels - block_in * block_edge;
    for (int64_t block_out = 0; block_out < p.blocks_out; ++block_out) {
      const int64_t out_rows = shape.out_channels - block_out * block_edge;
      for (int64_t tap = p.taps * group / p.tap_groups; tap < p.taps * (group + 1) / p.tap_groups;
           ++tap) {
        const int64_t shift = tap / shape.kernel_width * shape.dilation_height * p.width +
                              tap % shape.kernel_width * shape.dilation_width;
        float* sums = at.sums + ((block_in * p.taps + tap) * p.blocks_out + block_out) * block_sums;
        for (int64_t image = 0; image < images; ++image) {
          const bfloat16* left =
              at.gradient + (block_out * p.images + image) * p.steps * amx::step_elements;
          const bfloat16* right = at.input[shift % 2] + image * p.parity_elements() +
                                  2 * block_in * half + shift / 2 * 2 * tile_edge;
          amx::multiply({.data = left},
                        {.data = right, .step = step_depth * tile_edge, .second = half}, p.steps,
                        out_rows, in_columns, first + image > 0, sums);
        }
      }
    }
  }

  // The sums of one block as rows of output channels, rounded, and those of the bias.
  void finish(const ConvolutionBackwardOperands& operands, const Memory& at,
              ThreadPool& pool) const {
    const PackedImages& p = packed_;
    if (options.weights) {
      pool.parallel_for(p.blocks_in * p.taps * p.blocks_out, 4, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
          write_block(at.sums + block * block_sums, block / p.blocks_out / p.taps,
                      block / p.blocks_out % p.taps, block % p.blocks_out,
                      static_cast<bfloat16*>(operands.dw));
        }
      });
    }
    if (options.bias_gradient) {
      const int64_t row = round_up_to(shape.out_channels, 16);
      for (int64_t image = 1; image < shape.batch; ++image) {
        for (int64_t j = 0; j < shape.out_channels; ++j) at.bias[j] += at.bias[image * row + j];
      }
      narrow_floats(options.dtype, at.bias, operands.db, shape.out_channels);
    }
  }

  void write_block(const float* sums, int64_t block_in, int64_t tap, int64_t block_out,
                   bfloat16* dw) const {
    const int64_t in = shape.in_channels, out = shape.out_channels;
    const int64_t rows = std::min(block_edge, in - block_in * block_edge);
    const int64_t columns = std::min(block_edge, out - block_out * block_edge);
    dw += (tap * in + block_in * block_edge) * out + block_out * block_edge;
    for (int64_t i = 0; i < rows; ++i) {
      float row[block_edge];
      for (int64_t j = 0; j < columns; ++j) row[j] = sums[j * block_edge + i];
      narrow_floats(DType::bf16, row, dw + i * out, columns);
    }
  }

  const int threads_;
  const PackedImages packed_;
  BackwardImplementation data_;
};

}  // namespace

bool amx_can_sum_weights(const ConvolutionShape& s, const ConvolutionBackwardOptions& options) {
  return amx::is_available() && options.dtype == DType::bf16 && options.weights && !s.has_depth() &&
         s.groups == 1 && s.stride_height == 1 && s.stride_width == 1 && s.batch >= 1 &&
         s.pad_top >= 0 && s.pad_bottom >= 0 && s.pad_left >= 0 && s.pad_right >= 0 &&
         s.in_channels >= tile_edge && s.out_channels >= tile_edge;
}

BackwardImplementation make_amx_backward(const ConvolutionShape& shape,
                                         const ConvolutionBackwardOptions& options, int threads) {
  if (!amx_can_sum_weights(shape, options)) return nullptr;
  auto result = std::make_unique<AmxBackward>(shape, options, threads);
  if (!result->is_complete()) return nullptr;
  return result;
}

}  // namespace kernels
}  // namespace systolic::inline v0
