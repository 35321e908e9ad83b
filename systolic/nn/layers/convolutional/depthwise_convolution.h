// A convolution of each channel by itself: DepthwiseConv1D and DepthwiseConv2D (keras.layers).
//
//   DepthwiseConv2D{.kernel_size = 3}
//   [batch, height, width, in] -> [batch, height', width', in * depth_multiplier]
//
// Weights: kernel [kernel sizes..., in, depth_multiplier], bias [in * depth_multiplier]. Sizes and
// errors are those of Conv2D (convolution.h).
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/size3.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

template <int rank>
struct DepthwiseConvolution {
  static_assert(rank == 1 || rank == 2);
  static constexpr const char* kind = rank == 1 ? "DepthwiseConv1D" : "DepthwiseConv2D";
  static constexpr LayerTraits traits = {};
  Required<SpatialSize<rank>> kernel_size;
  SpatialSize<rank> strides = 1;
  Padding padding = "valid";
  int64_t depth_multiplier = 1;
  SpatialSize<rank> dilation_rate = 1;
  Activation activation = "linear";
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint depthwise_constraint = {};
  Constraint bias_constraint = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = DepthwiseConvolution>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("kernel_size", &Self::kernel_size), field("strides", &Self::strides),
                   field("padding", &Self::padding),
                   field("depth_multiplier", &Self::depth_multiplier),
                   field("dilation_rate", &Self::dilation_rate),
                   field("activation", &Self::activation), field("use_bias", &Self::use_bias),
                   field("depthwise_initializer", &Self::depthwise_initializer),
                   field("bias_initializer", &Self::bias_initializer),
                   field("depthwise_regularizer", &Self::depthwise_regularizer),
                   field("depthwise_constraint", &Self::depthwise_constraint)),
        bias_fields<Self>(), common_fields<Self>());
  }
};

using DepthwiseConv1D = DepthwiseConvolution<1>;
using DepthwiseConv2D = DepthwiseConvolution<2>;

extern template Layer::Layer(DepthwiseConv1D);
extern template Layer::Layer(DepthwiseConv2D);

}  // namespace systolic::inline v0
