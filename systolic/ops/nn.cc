#include "systolic/ops/nn.h"

#include <algorithm>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/nn/layers/pooling/adaptive_pooling.h"
#include "systolic/nn/layers/window.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

int spatial_rank(std::string_view op, const Tensor& x, At at) {
  if (x.rank() >= 3 && x.rank() <= 5) return x.rank() - 2;
  raise<InvalidArgument>({.what = str(op, " of shape ", x.shape()),
                          .wanted = "[batch, spatial..., channels] with 1 to 3 spatial axes",
                          .location = at});
}

// One for each spatial axis.
std::vector<int64_t> for_each_axis(std::vector<int64_t> sizes, int rank, int64_t otherwise) {
  if (sizes.empty()) sizes.push_back(otherwise);
  if (sizes.size() == 1) sizes.assign(static_cast<size_t>(rank), sizes[0]);
  return sizes;
}

Window kernel_window_of(std::string_view op, const Tensor& x, const Tensor& kernel,
                        const ConvOptions& options, At at) {
  const int rank = spatial_rank(op, x, at);
  if (kernel.rank() != rank + 2) {
    raise<InvalidArgument>({.what = str(op, " with a kernel of shape ", kernel.shape()),
                            .wanted = str(rank + 2, " axes: [spatial..., in, out]"),
                            .location = at});
  }
  Window window{.size = {},
                .strides = for_each_axis(options.strides, rank, 1),
                .dilation = for_each_axis(options.dilation_rate, rank, 1),
                .padding = options.padding,
                .size_field = "kernel",
                .takes_causal = rank == 1};
  for (int axis = 0; axis < rank; ++axis) window.size.push_back(kernel.shape()[axis]);
  check_window(x, window);
  return window;
}

Tensor convolved(const Tensor& x, const Tensor& kernel, const Window& window, int64_t groups,
                 At at) {
  return v0::convolution(x, kernel,
                         {.strides = window.strides,
                          .dilation = window.dilation,
                          .padding = spatial_padding(x, window),
                          .groups = groups},
                         at);
}

PoolOptions pool_options(std::string_view op, const Tensor& x, const PoolingOptions& options,
                         At at) {
  const int rank = spatial_rank(op, x, at);
  const std::vector<int64_t> size = for_each_axis(options.pool_size, rank, 2);
  const Window window{
      .size = size,
      .strides = options.strides.empty() ? size : for_each_axis(options.strides, rank, 1),
      .dilation = std::vector<int64_t>(size.size(), 1),
      .padding = options.padding,
      .size_field = "pool_size"};
  check_window(x, window);
  return {.window = window.size, .strides = window.strides, .padding = spatial_padding(x, window)};
}

template <Pool pool>
Tensor adaptively_pooled(std::string_view op, const Tensor& x, const std::vector<int64_t>& sizes,
                         At at) {
  const int rank = spatial_rank(op, x, at);
  const std::vector<int64_t> size = for_each_axis(sizes, rank, 1);
  if (rank == 1) return Layer(AdaptivePooling<pool, 1>{.output_size = size[0]})(x);
  if (rank == 2) return Layer(AdaptivePooling<pool, 2>{.output_size = Size2(size[0], size[1])})(x);
  return Layer(AdaptivePooling<pool, 3>{.output_size = Size3(size[0], size[1], size[2])})(x);
}

Tensor block_permuted(const Tensor& x, const Shape& apart, const Shape& together, At at) {
  return v0::reshape(v0::transpose(v0::reshape(x, apart, at), {0, 1, 3, 2, 4, 5}, at), together,
                     at);
}

void check_blocks(std::string_view op, const Tensor& x, bool fits, At at) {
  if (x.rank() == 4 && fits) return;
  raise<InvalidArgument>({.what = str(op, " of shape ", x.shape()),
                          .wanted = "[batch, height, width, channels] that the block divides",
                          .location = at});
}

}  // namespace

Tensor conv(const Tensor& x, const Tensor& kernel, ConvOptions options, At at) {
  const Window window = kernel_window_of("conv", x, kernel, options, at);
  return convolved(x, kernel, window, x.shape()[-1] / std::max<int64_t>(kernel.shape()[-2], 1), at);
}
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, ConvOptions options, At at) {
  const Window window = kernel_window_of("depthwise_conv", x, kernel, options, at);
  std::vector<int64_t> sizes = window.size;
  sizes.insert(sizes.end(), {1, kernel.shape()[-2] * kernel.shape()[-1]});
  return convolved(x, v0::reshape(kernel, Shape(sizes), at), window, x.shape()[-1], at);
}
Tensor separable_conv(const Tensor& x, const Tensor& depthwise, const Tensor& pointwise,
                      ConvOptions options, At at) {
  return conv(depthwise_conv(x, depthwise, options, at), pointwise, {}, at);
}
Tensor conv_transpose(const Tensor& x, const Tensor& kernel, ConvOptions options, At at) {
  const Window window = kernel_window_of("conv_transpose", x, kernel, options, at);
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<int> spatial(window.size.size()), order;
  std::iota(spatial.begin(), spatial.end(), 0);
  for (size_t i = 0; i < window.size.size(); ++i) {
    const int64_t reach = (window.size[i] - 1) * window.dilation[i] + 1, stride = window.strides[i];
    const int64_t rest = std::max(reach, stride) - reach, total = stride + reach - 2;
    const int64_t before = std::min((total + 1) / 2, reach - 1);
    padding.push_back(options.padding.is("valid") ? std::pair(reach - 1, reach - 1 + rest)
                                                  : std::pair(before, total - before));
  }
  order = spatial;
  order.insert(order.end(), {kernel.rank() - 1, kernel.rank() - 2});
  return v0::convolution(
      x, v0::transpose(v0::flip(kernel, spatial, at), order, at),
      {.dilation = window.dilation, .padding = padding, .input_dilation = window.strides}, at);
}

Tensor max_pool(const Tensor& x, PoolingOptions options, At at) {
  return v0::max_pool(x, pool_options("max_pool", x, options, at), at);
}
Tensor average_pool(const Tensor& x, PoolingOptions options, At at) {
  return v0::average_pool(x, pool_options("average_pool", x, options, at), at);
}
Tensor adaptive_max_pool(const Tensor& x, const std::vector<int64_t>& output_size, At at) {
  return adaptively_pooled<Pool::max>("adaptive_max_pool", x, output_size, at);
}
Tensor adaptive_average_pool(const Tensor& x, const std::vector<int64_t>& output_size, At at) {
  return adaptively_pooled<Pool::average>("adaptive_average_pool", x, output_size, at);
}

Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                           NormalizationOptions options, At at) {
  const auto place = static_cast<size_t>(positive_axis(options.axis, x.rank(), at));
  const auto spread = [&](const Tensor& values) {
    std::vector<int64_t> sizes(static_cast<size_t>(x.rank()), 1);
    sizes[place] = values.size();
    return v0::reshape(values, Shape(sizes), at);
  };
  Tensor factor = v0::rsqrt(spread(variance) + options.epsilon);
  if (options.scale) factor = factor * spread(*options.scale);
  const Tensor y = (x - spread(mean)) * factor;
  return options.offset ? y + spread(*options.offset) : y;
}
Tensor layer_normalization(const Tensor& x, const std::optional<Tensor>& gamma,
                           const std::optional<Tensor>& beta, double epsilon, At at) {
  const ReduceOptions last{.axis = -1, .keepdims = true};
  Tensor y = (x - v0::mean(x, last, at)) * v0::rsqrt(v0::variance(x, last, at) + epsilon);
  if (gamma) y = y * *gamma;
  return beta ? y + *beta : y;
}
Tensor rms_normalization(const Tensor& x, const std::optional<Tensor>& scale, double epsilon,
                         At at) {
  const Tensor squares = v0::mean(v0::square(x), {.axis = -1, .keepdims = true}, at);
  const Tensor y = x * v0::rsqrt(squares + epsilon);
  return scale ? y * *scale : y;
}

Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             AttentionOptions options, At at) {
  return v0::scaled_dot_product_attention(query, key, value, std::move(options), at);
}

Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits, At at) {
  const Tensor labels = v0::cast({target, at}, output.dtype());
  if (from_logits) return v0::relu(output) - output * labels + v0::log1p(v0::exp(-v0::abs(output)));
  const Tensor p = v0::clip(output, crossentropy_epsilon, 1 - crossentropy_epsilon);
  return -(labels * v0::log(p) + (1 - labels) * v0::log(1 - p));
}

Tensor multi_hot(const Tensor& indices, int64_t num_classes, DType dtype, At at) {
  return v0::max(v0::one_hot(indices, num_classes, dtype, at), {.axis = -2}, at);
}
Tensor space_to_depth(const Tensor& x, int64_t block_size, At at) {
  const int64_t b = block_size;
  check_blocks("space_to_depth", x,
               x.rank() == 4 && b > 0 && x.shape()[1] % b == 0 && x.shape()[2] % b == 0, at);
  const int64_t n = x.shape()[0], h = x.shape()[1] / b, w = x.shape()[2] / b, c = x.shape()[3];
  return block_permuted(x, {n, h, b, w, b, c}, {n, h, w, b * b * c}, at);
}
Tensor depth_to_space(const Tensor& x, int64_t block_size, At at) {
  const int64_t b = block_size;
  check_blocks("depth_to_space", x, x.rank() == 4 && b > 0 && x.shape()[3] % (b * b) == 0, at);
  const int64_t n = x.shape()[0], h = x.shape()[1], w = x.shape()[2], c = x.shape()[3] / (b * b);
  return block_permuted(x, {n, h, w, b, b, c}, {n, h * b, w * b, c}, at);
}

}  // namespace ops
}  // namespace systolic::inline v0
