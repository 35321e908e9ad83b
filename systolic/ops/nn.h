// keras.ops.nn: what layers compute, as functions of arrays. Pictures and sequences are [batch,
// spatial..., channels]. What stands after `using` is the function with the same name.
//
//   Tensor y = ops::conv(x, kernel, {.strides = {2}, .padding = "same"});
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/nn/config/padding.h"
#include "systolic/nn/losses/crossentropy/categorical_crossentropy.h"
#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"
#include "systolic/trace/ops/attention.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

using v0::categorical_crossentropy;
using v0::one_hot;
using v0::sparse_categorical_crossentropy;

struct ConvOptions {
  std::vector<int64_t> strides = {};        // one for all spatial axes, or one each; empty: 1
  Padding padding = "valid";                // or "same"
  std::vector<int64_t> dilation_rate = {};  // likewise; the kernel's elements so far apart
};
// Kernel [spatial..., in / groups, out]; [spatial..., in, multiplier] for the depthwise one.
Tensor conv(const Tensor& x, const Tensor& kernel, ConvOptions options = {}, At at = At::current());
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, ConvOptions options = {},
                      At at = At::current());
// A depthwise convolution and one by [1, ..., in * multiplier, out] after it.
Tensor separable_conv(const Tensor& x, const Tensor& depthwise, const Tensor& pointwise,
                      ConvOptions options = {}, At at = At::current());

// Outputs as far apart as strides say; the kernel is [spatial..., out, in].
Tensor conv_transpose(const Tensor& x, const Tensor& kernel, ConvOptions options = {},
                      At at = At::current());

struct PoolingOptions {
  std::vector<int64_t> pool_size;     // one for all spatial axes, or one each
  std::vector<int64_t> strides = {};  // empty: pool_size
  Padding padding = "valid";          // or "same"
};
// The largest, and the mean, of each window.
Tensor max_pool(const Tensor& x, PoolingOptions options, At at = At::current());
Tensor average_pool(const Tensor& x, PoolingOptions options, At at = At::current());
// The largest or the mean of each of `output_size` parts of each spatial axis.
Tensor adaptive_max_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                         At at = At::current());
Tensor adaptive_average_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                             At at = At::current());

struct NormalizationOptions {
  int axis = -1;                      // of the channels
  std::optional<Tensor> offset = {};  // what is added at the end, one a channel
  std::optional<Tensor> scale = {};   // what is multiplied before
  double epsilon = 1e-3;              // added to the variance
};
// By given means and variances of the channels.
Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                           NormalizationOptions options = {}, At at = At::current());
// By those of each row of the last axis; by its root of the mean square.
Tensor layer_normalization(const Tensor& x, const std::optional<Tensor>& gamma = {},
                           const std::optional<Tensor>& beta = {}, double epsilon = 1e-7,
                           At at = At::current());
Tensor rms_normalization(const Tensor& x, const std::optional<Tensor>& scale = {},
                         double epsilon = 1e-7, At at = At::current());

// One for each element; keras.losses' (nn/losses/crossentropy/binary_crossentropy.h) is their mean.
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false,
                           At at = At::current());
// query [batch, target, heads, size], key and value [batch, source, heads, size].
Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             AttentionOptions options = {}, At at = At::current());

// 1 at each of the classes of a row: integers [..., labels] -> [..., num_classes].
Tensor multi_hot(const Tensor& indices, int64_t num_classes, DType dtype = DType::f32,
                 At at = At::current());
// Blocks of size x size pixels become channels, and back: [batch, h, w, c].
Tensor space_to_depth(const Tensor& x, int64_t block_size, At at = At::current());
Tensor depth_to_space(const Tensor& x, int64_t block_size, At at = At::current());

}  // namespace ops
}  // namespace systolic::inline v0
