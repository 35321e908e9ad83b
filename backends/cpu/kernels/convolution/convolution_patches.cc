#include "backends/cpu/kernels/convolution/convolution_patches.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/kernels/convolution/convolution_onednn.h"
#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/scratch_cursor.h"
#include "backends/cpu/kernels/streaming.h"
#include "systolic/core/float_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/convolution/convolution_patches.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "backends/cpu/kernels/matmul/gemm-inl.h"
#include "backends/cpu/kernels/matmul/pack-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

int64_t patch_panel() { return tile_columns; }

// Weights (depth rows of out_channels) into panels [panel][depth][tile_columns].
void pack_patch_weights(const float* w, int64_t depth, int64_t out_channels, float* panels) {
  for (int64_t j = 0; j < out_channels; j += tile_columns, panels += depth * tile_columns) {
    pack_panel<static_cast<int>(tile_columns)>(
        w + j, 1, out_channels, std::min(tile_columns, out_channels - j), depth, panels);
  }
}

// y[pixel][channel] = max(sum over k of patches[k][pixel] * w[k][channel], least), by streaming
// stores where `stream`; rows of patches are `stride` long.
void multiply_patches(const float* patches, int64_t stride, int64_t pixels, int64_t depth,
                      const float* panels, int64_t out_channels, float least, bool stream,
                      float* y) {
  const Tile tile{depth, 1, stride, tile_columns, out_channels, false, least, stream};
  for (int64_t i = 0; i < pixels; i += tile_rows) {  // in this order y is written almost as it lies
    for (int64_t j = 0; j < out_channels; j += tile_columns) {
      multiply_panel(tile, std::min<int64_t>(tile_rows, pixels - i), 0, patches + i,
                     panels + j * depth, y + i * out_channels + j,
                     std::min(tile_columns, out_channels - j));
    }
  }
  if (stream) hwy::FlushStream();
}

// sums[k][channel] += sum over pixels of patches[k][pixel] * dy[pixel][channel]; rows of dy and
// sums are `row` long, a multiple of the panel.
void accumulate_patches(const float* patches, int64_t stride, int64_t pixels, int64_t depth,
                        const float* dy, int64_t row, float* sums) {
  const Tile tile{pixels, stride, 1, row, row, true};
  for (int64_t j = 0; j < row; j += tile_columns) {
    multiply_panel(tile, depth, tile_rows * stride, patches, dy + j, sums + j, tile_columns);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {
namespace {

HWY_EXPORT(patch_panel);
HWY_EXPORT(pack_patch_weights);
HWY_EXPORT(multiply_patches);
HWY_EXPORT(accumulate_patches);

// Gathers patches of output pixels, which are numbered through the whole batch.
struct Patches {
  explicit Patches(const ConvolutionShape& s)
      : s(s),
        out_height(s.out_height()),
        out_width(s.out_width()),
        pixels(s.batch * out_height * out_width),
        depth(s.kernel_height * s.kernel_width * s.in_channels + 1) {}

  // target[k * stride + i] is number k of the patch of pixel begin + i; the last k is 1.
  void gather(DType dtype, const void* x, int64_t begin, int64_t end, float* target,
              int64_t stride) const {
    switch (dtype) {
      case DType::bf16:
        return gather_all(static_cast<const bfloat16*>(x), begin, end, target, stride);
      case DType::f16:
        return gather_all(static_cast<const float16*>(x), begin, end, target, stride);
      default:
        return gather_all(static_cast<const float*>(x), begin, end, target, stride);
    }
  }

  template <class T>
  void gather_all(const T* x, int64_t begin, int64_t end, float* target, int64_t stride) const {
    for (int64_t pixel = begin; pixel < end;) {  // one row of the output after the other
      const int64_t row = pixel / out_width, ox = pixel % out_width;
      const int64_t count = std::min(out_width - ox, end - pixel);
      gather_row(x + row / out_height * s.height * s.width * s.in_channels, row % out_height, ox,
                 count, target + (pixel - begin), stride);
      pixel += count;
    }
    std::fill_n(target + (depth - 1) * stride, end - begin, 1.0f);
  }

  template <class T>
  void gather_row(const T* image, int64_t oy, int64_t ox, int64_t count, float* target,
                  int64_t stride) const {
    for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
      const int64_t iy = oy * s.stride_height - s.pad_top + ky * s.dilation_height;
      for (int64_t kx = 0; kx < s.kernel_width; ++kx) {
        const int64_t ix =
            ox * s.stride_width - s.pad_left + kx * s.dilation_width;  // of the first pixel
        // Pixels [first, last) see a column inside the image.
        const auto steps = [&](int64_t distance) {
          return (distance + s.stride_width - 1) / s.stride_width;
        };
        int64_t first = std::clamp<int64_t>(ix < 0 ? steps(-ix) : 0, 0, count);
        int64_t last = std::clamp<int64_t>(ix < s.width ? steps(s.width - ix) : 0, first, count);
        if (iy < 0 || iy >= s.height) first = last = 0;
        const int64_t step = s.stride_width * s.in_channels;
        for (int64_t c = 0; c < s.in_channels; ++c, target += stride) {
          std::fill(target, target + first, 0.0f);
          if (first < last) {
            const T* from = image + (iy * s.width + ix) * s.in_channels + c;
            if (step == 1) {
              for (int64_t i = first; i < last; ++i) target[i] = static_cast<float>(from[i]);
            } else {
              for (int64_t i = first; i < last; ++i) target[i] = static_cast<float>(from[i * step]);
            }
          }
          std::fill(target + last, target + count, 0.0f);
        }
      }
    }
  }

  const ConvolutionShape s;
  int64_t out_height, out_width, pixels, depth;
};

// Pixels at a time, a multiple of every inner kernel's rows: their patches and outputs fit the
// nearer caches.
int64_t block_of(const Patches& patches, int64_t out_channels) {
  const int64_t by_patches = 8192 / patches.depth, by_outputs = 16'384 / out_channels;
  return std::clamp<int64_t>(std::min(by_patches, by_outputs) / 48 * 48, 48, 192);
}

struct PatchesForward final : ConvolutionForward::Implementation {
  PatchesForward(const ConvolutionShape& shape, const ConvolutionForwardOptions& options,
                 int threads)
      : Implementation(shape, options),
        patches(shape),
        threads(threads),
        block(block_of(patches, shape.out_channels)),
        stride(block + 16),
        padded_out(round_up_to(shape.out_channels, HWY_DYNAMIC_DISPATCH(patch_panel)())) {}

  ConvolutionMethod method() const override { return ConvolutionMethod::patches; }

  struct Memory {
    Memory(const PatchesForward& plan, void* scratch) {
      ScratchCursor cursor(scratch);
      const int64_t out = plan.shape.out_channels;
      plain = cursor.take(plan.patches.depth * out);
      panels = cursor.take(plan.patches.depth * plan.padded_out);
      patches = cursor.take(plan.threads * plan.patch_floats());
      outputs = cursor.take(plan.threads * plan.output_floats());
      floats = cursor.taken();
    }
    float *plain, *panels, *patches, *outputs;
    int64_t floats;
  };
  int64_t patch_floats() const { return round_up_to(patches.depth * stride, 16); }
  int64_t output_floats() const {
    return options.dtype == DType::f32 ? 0 : round_up_to(block * shape.out_channels, 16);
  }

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(Memory(*this, nullptr).floats);
  }

  void run(const ConvolutionForwardOperands& operands, void* scratch,
           ThreadPool& pool) const override {
    const Memory memory(*this, scratch);
    const int64_t out = shape.out_channels, weights = (patches.depth - 1) * out;
    widen_floats(options.dtype, operands.w, memory.plain, weights);
    if (options.bias) {
      widen_floats(options.dtype, operands.bias, memory.plain + weights, out);
    } else {
      std::fill_n(memory.plain + weights, out, 0.0f);
    }
    HWY_DYNAMIC_DISPATCH(pack_patch_weights)(memory.plain, patches.depth, out, memory.panels);
    const int64_t blocks = (patches.pixels + block - 1) / block;
    pool.parallel_tasks(blocks, threads,
                        [&](int64_t index, int slot) { run_block(operands, memory, index, slot); });
  }

  void run_block(const ConvolutionForwardOperands& operands, const Memory& memory, int64_t index,
                 int slot) const {
    const int64_t begin = index * block, end = std::min(begin + block, patches.pixels),
                  out = shape.out_channels;
    float* mine = memory.patches + slot * patch_floats();
    patches.gather(options.dtype, operands.x, begin, end, mine, stride);
    const bool direct = options.dtype == DType::f32;
    float* y = direct ? static_cast<float*>(operands.y) + begin * out
                      : memory.outputs + slot * output_floats();
    const float least = options.relu ? 0.0f : -std::numeric_limits<float>::infinity();
    HWY_DYNAMIC_DISPATCH(multiply_patches)
    (mine, stride, end - begin, patches.depth, memory.panels, out, least, streams(operands), y);
    if (is_bounded()) {
      const auto most = static_cast<float>(options.most);
      for (int64_t i = 0; i < (end - begin) * out; ++i) y[i] = y[i] > most ? most : y[i];
    }
    if (!direct) {
      auto* target = static_cast<char*>(operands.y) + begin * out * byte_width(options.dtype);
      const bool stream = patches.pixels * out * byte_width(options.dtype) >= streamed_bytes;
      const auto narrow = stream ? narrow_floats_streaming : narrow_floats;
      narrow(options.dtype, y, target, (end - begin) * out);
    }
  }

  bool is_bounded() const { return options.relu && std::isfinite(options.most); }

  // Not where a pass over the block comes after it.
  bool streams(const ConvolutionForwardOperands& operands) const {
    const int64_t row_bytes = 4 * shape.out_channels;
    return options.dtype == DType::f32 && !is_bounded() && shape.out_channels == padded_out &&
           patches.pixels * row_bytes >= streamed_bytes && has_whole_lines(operands.y, row_bytes);
  }

  const Patches patches;
  const int threads;
  const int64_t block, stride, padded_out;
};

struct PatchesBackward final : ConvolutionBackward::Implementation {
  PatchesBackward(const ConvolutionShape& shape, const ConvolutionBackwardOptions& options,
                  int threads)
      : Implementation(shape, options),
        patches(shape),
        threads(threads),
        block(block_of(patches, shape.out_channels)),
        stride(block + 16),
        padded_out(round_up_to(shape.out_channels, HWY_DYNAMIC_DISPATCH(patch_panel)())),
        blocks((patches.pixels + block - 1) / block),
        slices(std::min<int64_t>(blocks, 4 * threads)) {}

  ConvolutionMethod method() const override { return ConvolutionMethod::patches; }

  int64_t patch_floats() const { return round_up_to(patches.depth * stride, 16); }
  int64_t sum_floats() const { return round_up_to(patches.depth * padded_out, 16); }
  // Whether a block of dy is masked before it is widened, all of it at once.
  bool masks_narrow() const {
    return options.dtype == DType::bf16 && options.relu_mask && shape.out_channels == padded_out;
  }
  int64_t output_floats() const {
    if (options.dtype == DType::f32) return 0;
    return round_up_to(masks_narrow() ? block * padded_out / 2 : shape.out_channels, 16);
  }

  struct Memory {
    Memory(const PatchesBackward& plan, void* scratch) {
      ScratchCursor cursor(scratch);
      sums = cursor.take(plan.slices * plan.sum_floats());
      patches = cursor.take(plan.threads * plan.patch_floats());
      gradients = cursor.take(plan.threads * plan.block * plan.padded_out);
      outputs = cursor.take(plan.threads * plan.output_floats());
      floats = cursor.taken();
    }
    float *sums, *patches, *gradients, *outputs;
    int64_t floats;
  };

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(Memory(*this, nullptr).floats);
  }

  void run(const ConvolutionBackwardOperands& operands, void* scratch,
           ThreadPool& pool) const override {
    const Memory memory(*this, scratch);
    pool.parallel_tasks(slices, threads,
                        [&](int64_t slice, int slot) { run_slice(operands, memory, slice, slot); });
    // In order, so that the result does not depend on who did what.
    for (int64_t slice = 1; slice < slices; ++slice) {
      const float* other = memory.sums + slice * sum_floats();
      for (int64_t i = 0; i < sum_floats(); ++i) memory.sums[i] += other[i];
    }
    const int64_t out = shape.out_channels;
    for (int64_t k = 0; k < patches.depth; ++k) {
      const bool is_bias = k + 1 == patches.depth;
      if (is_bias ? !options.bias_gradient : !options.weights) continue;
      auto* target = static_cast<char*>(is_bias ? operands.db : operands.dw);
      if (!is_bias) target += k * out * byte_width(options.dtype);
      narrow_floats(options.dtype, memory.sums + k * padded_out, target, out);
    }
  }

  void run_slice(const ConvolutionBackwardOperands& operands, const Memory& memory, int64_t slice,
                 int slot) const {
    float* sums = memory.sums + slice * sum_floats();
    std::fill_n(sums, sum_floats(), 0.0f);
    float* mine = memory.patches + slot * patch_floats();
    for (int64_t i = blocks * slice / slices; i < blocks * (slice + 1) / slices; ++i) {
      const int64_t begin = i * block, end = std::min(begin + block, patches.pixels);
      patches.gather(options.dtype, operands.x, begin, end, mine, stride);
      const float* dy = gradient(operands, memory, begin, end, slot);
      HWY_DYNAMIC_DISPATCH(accumulate_patches)
      (mine, stride, end - begin, patches.depth, dy, padded_out, sums);
    }
  }

  // One loop over all, without a branch, so that it becomes vector code.
  static void mask(const float* __restrict dy, const float* __restrict y, int64_t count,
                   float* __restrict target) {
    for (int64_t i = 0; i < count; ++i) {
      const float value = dy[i];
      target[i] = y[i] > 0 ? value : 0.0f;
    }
  }

  // dy of some pixels as f32, where y > 0, channels padded with zeros.
  const float* gradient(const ConvolutionBackwardOperands& operands, const Memory& memory,
                        int64_t begin, int64_t end, int slot) const {
    const int64_t out = shape.out_channels, width = byte_width(options.dtype);
    const bool is_float = options.dtype == DType::f32;
    if (is_float && !options.relu_mask && out == padded_out)
      return static_cast<const float*>(operands.dy) + begin * out;
    float* target = memory.gradients + slot * block * padded_out;
    if (is_float && out == padded_out) {
      mask(static_cast<const float*>(operands.dy) + begin * out,
           static_cast<const float*>(operands.y) + begin * out, (end - begin) * out, target);
      return target;
    }
    float* outputs = memory.outputs + slot * output_floats();
    if (masks_narrow()) {
      auto* masked = reinterpret_cast<bfloat16*>(outputs);
      const int64_t count = (end - begin) * out;
      direct::mask_bf16_by_relu(static_cast<const bfloat16*>(operands.dy) + begin * out,
                                static_cast<const bfloat16*>(operands.y) + begin * out, count,
                                masked);
      widen_floats(DType::bf16, masked, target, count);
      return target;
    }
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      float* row = target + (pixel - begin) * padded_out;
      const int64_t offset = pixel * out * width;
      const float* y = nullptr;
      if (options.relu_mask && is_float) y = static_cast<const float*>(operands.y) + pixel * out;
      if (options.relu_mask && !is_float) {
        widen_floats(options.dtype, static_cast<const char*>(operands.y) + offset, outputs, out);
        y = outputs;
      }
      const float* dy = row;
      if (is_float) {
        dy = static_cast<const float*>(operands.dy) + pixel * out;
      } else {
        widen_floats(options.dtype, static_cast<const char*>(operands.dy) + offset, row, out);
      }
      for (int64_t c = 0; c < out; ++c) row[c] = !y || y[c] > 0 ? dy[c] : 0.0f;
      std::fill(row + out, row + padded_out, 0.0f);
    }
    return target;
  }

  const Patches patches;
  const int threads;
  const int64_t block, stride, padded_out, blocks, slices;
};

}  // namespace

bool patches_can_do(const ConvolutionShape& s, DType dtype) {
  const bool float_type = dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
  return float_type && !s.has_depth() && s.groups == 1 &&
         s.kernel_height * s.kernel_width * s.in_channels <= 256;
}

ForwardImplementation make_patches_forward(const ConvolutionShape& shape,
                                           const ConvolutionForwardOptions& options, int threads) {
  return std::make_unique<PatchesForward>(shape, options, threads);
}

BackwardImplementation make_patches_backward(const ConvolutionShape& shape,
                                             const ConvolutionBackwardOptions& options,
                                             int threads) {
  return std::make_unique<PatchesBackward>(shape, options, threads);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
