// Matrix products, convolutions and pooling windows.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

using At = SourceLocation;

// Which operands are transposed before the product: their last two axes change places.
struct MatmulOptions {
  bool transpose_a = false;  // a is [..., k, m]
  bool transpose_b = false;  // b is [..., n, k]
};
// [..., m, k] x [..., k, n] -> [..., m, n]; leading axes broadcast. Operands of bf16 and f16 are
// accumulated in f32.
Tensor matmul(const Tensor& a, const Tensor& b, MatmulOptions options = {}, At at = At::current());
// Contracts the named axes: einsum("bqhd,bkhd->bhqk", q, k). Two operands; every letter appears
// once per operand; a scalar has none: einsum(",ij->ji", scale, x).
Tensor einsum(std::string_view equation, const Tensor& a, const Tensor& b, At at = At::current());

struct ConvolutionOptions {
  std::vector<int64_t> strides = {};   // one a spatial axis; empty: all 1
  std::vector<int64_t> dilation = {};  // of the kernel; empty: all 1
  std::vector<std::pair<int64_t, int64_t>> padding =
      {};              // (before, after) per spatial axis; empty: none
  int64_t groups = 1;  // groups of channels, each convolved by itself; divides in and out
  // Zeros between the elements of x, one a spatial axis: 2 puts one zero between two neighbours, as
  // a transposed convolution does. Empty: none, which is 1.
  std::vector<int64_t> input_dilation = {};
};
// x [batch, spatial..., in], kernel [spatial..., in / groups, out] -> [batch, spatial..., out]. 1
// to 3 spatial axes.
Tensor convolution(const Tensor& x, const Tensor& kernel, ConvolutionOptions options = {},
                   At at = At::current());

// Padding that gives ceil(size / stride) outputs, as Keras's "same": (before, after), with the
// larger part at the end.
std::pair<int64_t, int64_t> same_padding(int64_t size, int64_t window, int64_t stride,
                                         int64_t dilation = 1);

struct PoolOptions {
  std::vector<int64_t> window;        // one a spatial axis
  std::vector<int64_t> strides = {};  // empty: the window
  // (before, after) per spatial axis; empty: none.
  std::vector<std::pair<int64_t, int64_t>> padding = {};
};
// x [batch, spatial..., channels].
Tensor max_pool(const Tensor& x, PoolOptions options, At at = At::current());
// Padding does not count: each output is the mean of the elements inside the array.
Tensor average_pool(const Tensor& x, PoolOptions options, At at = At::current());

}  // namespace systolic::inline v0
