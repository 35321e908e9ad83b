// A convolution of each channel by itself (keras.layers.DepthwiseConv2D).
//
//   [batch, height, width, in] -> [batch, height', width', in * depth_multiplier]
//
// Weights: kernel [kernel height, kernel width, in, depth_multiplier], bias [in *
// depth_multiplier].
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct DepthwiseConv2D {
  static constexpr const char* kind = "DepthwiseConv2D";
  static constexpr LayerTraits traits = {};
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

  template <class Self = DepthwiseConv2D>
  static constexpr auto fields() {
    return std::tuple(field("kernel_size", &Self::kernel_size), field("strides", &Self::strides),
                      field("padding", &Self::padding),
                      field("depth_multiplier", &Self::depth_multiplier),
                      field("dilation_rate", &Self::dilation_rate),
                      field("activation", &Self::activation), field("use_bias", &Self::use_bias),
                      field("depthwise_initializer", &Self::depthwise_initializer),
                      field("bias_initializer", &Self::bias_initializer),
                      field("depthwise_regularizer", &Self::depthwise_regularizer),
                      field("bias_regularizer", &Self::bias_regularizer),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(DepthwiseConv2D);

}  // namespace systolic::inline v0
