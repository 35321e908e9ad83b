// A convolution of each channel by itself, then a 1 x 1 convolution over the channels
// (keras.layers.SeparableConv2D).
//
//   [batch, height, width, in] -> [batch, height', width', filters]
//
// Weights: depthwise_kernel [kernel height, kernel width, in, depth_multiplier], pointwise_kernel
// [1, 1, in * depth_multiplier, filters], bias [filters].
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct SeparableConv2D {
  static constexpr const char* kind = "SeparableConv2D";
  static constexpr LayerTraits traits = {};
  Required<int64_t> filters;
  Required<Size2> kernel_size;
  Size2 strides = 1;
  Padding padding = "valid";
  Size2 dilation_rate = 1;
  int64_t depth_multiplier = 1;
  Activation activation = "linear";
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer pointwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer pointwise_regularizer = {};
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
      delete;  // to share it: Layer l = SeparableConv2D{...}; l(x)

  template <class Self = SeparableConv2D>
  static constexpr auto fields() {
    return std::tuple(field("filters", &Self::filters), field("kernel_size", &Self::kernel_size),
                      field("strides", &Self::strides), field("padding", &Self::padding),
                      field("dilation_rate", &Self::dilation_rate),
                      field("depth_multiplier", &Self::depth_multiplier),
                      field("activation", &Self::activation), field("use_bias", &Self::use_bias),
                      field("depthwise_initializer", &Self::depthwise_initializer),
                      field("pointwise_initializer", &Self::pointwise_initializer),
                      field("bias_initializer", &Self::bias_initializer),
                      field("depthwise_regularizer", &Self::depthwise_regularizer),
                      field("pointwise_regularizer", &Self::pointwise_regularizer),
                      field("bias_regularizer", &Self::bias_regularizer),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(SeparableConv2D);

}  // namespace systolic::inline v0
