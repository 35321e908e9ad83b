// A convolution of each channel by itself (keras.layers.DepthwiseConv2D).
//
//   [batch, height, width, in] -> [batch, height', width', in * depth_multiplier]
//
// Weights: kernel [kernel height, kernel width, in, depth_multiplier], bias [in *
// depth_multiplier].
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/padding.h"

namespace systolic::inline v0 {

struct DepthwiseConv2D {
  static constexpr const char* kind = "DepthwiseConv2D";
  Required<Size2> kernel_size;
  Size2 strides = 1;
  Padding padding = "valid";
  int64_t depth_multiplier = 1;
  Size2 dilation_rate = 1;
  Activation activation = "linear";
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer bias_regularizer = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& =
      delete;  // to share it: Layer l = DepthwiseConv2D{...}; l(x)

  static constexpr auto fields() {
    return std::tuple(
        field("kernel_size", &DepthwiseConv2D::kernel_size),
        field("strides", &DepthwiseConv2D::strides), field("padding", &DepthwiseConv2D::padding),
        field("depth_multiplier", &DepthwiseConv2D::depth_multiplier),
        field("dilation_rate", &DepthwiseConv2D::dilation_rate),
        field("activation", &DepthwiseConv2D::activation),
        field("use_bias", &DepthwiseConv2D::use_bias),
        field("depthwise_initializer", &DepthwiseConv2D::depthwise_initializer),
        field("bias_initializer", &DepthwiseConv2D::bias_initializer),
        field("depthwise_regularizer", &DepthwiseConv2D::depthwise_regularizer),
        field("bias_regularizer", &DepthwiseConv2D::bias_regularizer),
        field("dtype", &DepthwiseConv2D::dtype), field("name", &DepthwiseConv2D::name));
  }
};

}  // namespace systolic::inline v0
