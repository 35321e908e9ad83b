// A convolution of each channel by itself, then one with a kernel of size 1 over the channels:
// SeparableConv1D and SeparableConv2D (keras.layers).
//
//   SeparableConv2D{.filters = 16, .kernel_size = 3}
//   [batch, height, width, in] -> [batch, height', width', filters]
//
// Weights: depthwise_kernel [kernel sizes..., in, depth_multiplier], pointwise_kernel [1...,
// in * depth_multiplier, filters], bias [filters]. Sizes and errors are those of Conv2D
// (convolution.h).
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/size3.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

template <int rank>
struct SeparableConvolution {
  static_assert(rank == 1 || rank == 2);
  static constexpr const char* kind = rank == 1 ? "SeparableConv1D" : "SeparableConv2D";
  static constexpr LayerTraits traits = {};
  Required<int64_t> filters;
  Required<SpatialSize<rank>> kernel_size;
  SpatialSize<rank> strides = 1;
  Padding padding = "valid";
  SpatialSize<rank> dilation_rate = 1;
  int64_t depth_multiplier = 1;
  Activation activation = "linear";
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer pointwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer pointwise_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint depthwise_constraint = {};
  Constraint pointwise_constraint = {};
  Constraint bias_constraint = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = SeparableConvolution>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("filters", &Self::filters), field("kernel_size", &Self::kernel_size),
                   field("strides", &Self::strides), field("padding", &Self::padding),
                   field("dilation_rate", &Self::dilation_rate),
                   field("depth_multiplier", &Self::depth_multiplier),
                   field("activation", &Self::activation), field("use_bias", &Self::use_bias),
                   field("depthwise_initializer", &Self::depthwise_initializer),
                   field("pointwise_initializer", &Self::pointwise_initializer),
                   field("bias_initializer", &Self::bias_initializer),
                   field("depthwise_regularizer", &Self::depthwise_regularizer),
                   field("depthwise_constraint", &Self::depthwise_constraint),
                   field("pointwise_regularizer", &Self::pointwise_regularizer),
                   field("pointwise_constraint", &Self::pointwise_constraint)),
        bias_fields<Self>(), common_fields<Self>());
  }
};

using SeparableConv1D = SeparableConvolution<1>;
using SeparableConv2D = SeparableConvolution<2>;

extern template Layer::Layer(SeparableConv1D);
extern template Layer::Layer(SeparableConv2D);

}  // namespace systolic::inline v0
