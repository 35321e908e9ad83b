// Convolutions of one to three dimensions as neural networks use them, planned once and run often:
// forward, and the gradients.
//
// Activations are NDHWC (batch, depth, height, width, channels), weights DHWIO (depth, height,
// width, input channels of one group, output channels), all contiguous. Output (oz, oy, ox) sums
// over the kernel's (kz, ky, kx) the input at
//   (oz * stride - pad_front + kz * dilation, oy * stride - pad_top + ky * dilation,
//    ox * stride - pad_left + kx * dilation),
// where input outside the image is 0 (StableHLO convolution, window_strides, padding, rhs_dilation;
// TensorFlow's conv2d and conv3d). A 2-D convolution is one of depth 1, a 1-D one of height 1, too.
//
//   ConvolutionForward forward(shape, {.bias = true, .relu = true}, threads);
//   forward.run({.x = x, .w = w, .bias = bias, .y = y}, scratch, pool);
//
// Which algorithm runs (Winograd, oneDNN's direct one, ...) is decided by convolution_choice.h when
// the plan is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

struct ConvolutionShape {
  int64_t batch = 1;
  int64_t height = 0, width = 0;  // of the input
  int64_t in_channels = 0, out_channels = 0;
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t stride_height = 1, stride_width = 1;
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  int64_t dilation_height = 1, dilation_width = 1;
  int64_t groups = 1;  // divides both channel counts; = in_channels for a depthwise convolution
  int64_t depth = 1, kernel_depth = 1, stride_depth = 1, dilation_depth = 1;
  int64_t pad_front = 0, pad_back = 0;

  // Three dimensions, which the kernels for images do not know.
  bool has_depth() const { return depth > 1 || kernel_depth > 1 || pad_front + pad_back > 0; }
  int64_t out_depth() const {
    return (depth + pad_front + pad_back - dilation_depth * (kernel_depth - 1) - 1) / stride_depth +
           1;
  }
  int64_t out_height() const {
    return (height + pad_top + pad_bottom - dilation_height * (kernel_height - 1) - 1) /
               stride_height +
           1;
  }
  int64_t out_width() const {
    return (width + pad_left + pad_right - dilation_width * (kernel_width - 1) - 1) / stride_width +
           1;
  }
  int64_t input_elements() const { return batch * depth * height * width * in_channels; }
  int64_t output_elements() const {
    return batch * out_depth() * out_height() * out_width() * out_channels;
  }
  int64_t weight_elements() const { return taps() * (in_channels / groups) * out_channels; }
  int64_t taps() const { return kernel_depth * kernel_height * kernel_width; }
  bool operator==(const ConvolutionShape&) const = default;
  // Operations of one forward pass, and of each of the two gradients; a multiply-add counts as two.
  double flops() const {
    return 2.0 * static_cast<double>(output_elements()) *
           static_cast<double>(taps() * (in_channels / groups));
  }
};

// How to compute. One that cannot do a shape or type gives way to the next: winograd, direct,
// generic.
enum class ConvolutionMethod {
  automatic,  // convolution_choice.h decides
  generic,    // plain loops, every numeric type
  direct,     // oneDNN
  winograd,   // F(4x4, 3x3): 3x3 kernels with stride 1
  patches,    // a matrix product with small patches of the input; gradients of the weights only
};

struct ConvolutionForwardOptions {
  DType dtype = DType::f32;  // of x, w, bias and y
  bool bias = false;         // add bias[channel]
  bool relu = false;         // then max(., 0)
  // After relu min(., most), a value of `dtype`: 6 for relu6.
  double most = std::numeric_limits<double>::infinity();
  ConvolutionMethod method = ConvolutionMethod::automatic;
};

struct ConvolutionForwardOperands {
  const void* x = nullptr;
  const void* w = nullptr;         // or
  const void* prepared = nullptr;  // what prepare() made of it
  const void* bias = nullptr;
  void* y = nullptr;
};

class ConvolutionForward {
 public:
  // Plans for `threads` threads; the pool at run time may have another number.
  ConvolutionForward(const ConvolutionShape& shape, const ConvolutionForwardOptions& options,
                     int threads);
  ~ConvolutionForward();
  ConvolutionForward(ConvolutionForward&&) noexcept;
  ConvolutionForward& operator=(ConvolutionForward&&) noexcept;

  ConvolutionMethod method() const;
  // Bytes of scratch memory that run() needs, 64-byte aligned. May be 0.
  size_t scratch_bytes() const;
  // Bytes of what run() makes of the weights before it begins, where it does: weights that are the
  // same in many runs are better prepared once.
  size_t prepared_bytes() const;
  // `scratch` as for run().
  void prepare(const void* w, void* prepared, void* scratch, ThreadPool& pool) const;
  void run(const ConvolutionForwardOperands& operands, void* scratch, ThreadPool& pool) const;

  struct Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

struct ConvolutionBackwardOptions {
  DType dtype = DType::f32;
  bool data = true;            // compute dx
  bool weights = true;         // compute dw
  bool bias_gradient = false;  // compute db = sum of dy over batch, height and width
  bool relu_mask = false;      // the forward pass ended in relu: dy counts only where y > 0
  ConvolutionMethod method = ConvolutionMethod::automatic;
};

struct ConvolutionBackwardOperands {
  const void* x = nullptr;  // for dw
  const void* w = nullptr;  // for dx
  const void* y = nullptr;  // for relu_mask: what forward (with relu) wrote
  const void* dy = nullptr;
  void* dx = nullptr;
  void* dw = nullptr;
  void* db = nullptr;
};

// The gradients of one convolution, together because they share work. dx, dw and db are
// overwritten.
class ConvolutionBackward {
 public:
  ConvolutionBackward(const ConvolutionShape& shape, const ConvolutionBackwardOptions& options,
                      int threads);
  ~ConvolutionBackward();
  ConvolutionBackward(ConvolutionBackward&&) noexcept;
  ConvolutionBackward& operator=(ConvolutionBackward&&) noexcept;

  ConvolutionMethod method() const;
  size_t scratch_bytes() const;
  void run(const ConvolutionBackwardOperands& operands, void* scratch, ThreadPool& pool) const;

  struct Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace kernels
}  // namespace systolic::inline v0
