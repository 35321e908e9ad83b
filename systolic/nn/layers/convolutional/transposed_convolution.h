// Convolutions that make an array larger: Conv1DTranspose, Conv2DTranspose and Conv3DTranspose
// (keras.layers). The gradient of a convolution by its input, as a layer.
//
//   Conv2DTranspose{.filters = 8, .kernel_size = 3, .strides = 2, .padding = "same"}
//   [batch, height, width, in] -> [batch, 2 height, 2 width, filters]
//
// A size' is size strides for "same", (size - 1) strides + max(kernel_size, strides) for "valid",
// of the dilated kernel. With output_padding, which must be below strides, it is (size - 1) strides
// + kernel_size + output_padding for "valid", and (size - 1) strides + kernel_size mod 2 +
// output_padding for "same". Weights: kernel [kernel sizes..., filters, in], bias [filters].
// Strides and a dilation_rate that are both above 1 are an InvalidArgument, as in Keras.
#pragma once

#include <optional>

#include "systolic/nn/activation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/size3.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// The names of TransposedConvolution<1>, <2> and <3> in configurations.
inline constexpr const char* transposed_convolution_kinds[] = {"Conv1DTranspose", "Conv2DTranspose",
                                                               "Conv3DTranspose"};

template <int rank>
struct TransposedConvolution {
  static constexpr const char* kind = transposed_convolution_kinds[rank - 1];
  static constexpr LayerTraits traits = {};
  Required<int64_t> filters;
  Required<SpatialSize<rank>> kernel_size;
  SpatialSize<rank> strides = 1;
  Padding padding = "valid";
  std::optional<SpatialSize<rank>> output_padding = {};
  SpatialSize<rank> dilation_rate = 1;
  Activation activation = "linear";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = TransposedConvolution>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("filters", &Self::filters), field("kernel_size", &Self::kernel_size),
                   field("strides", &Self::strides), field("padding", &Self::padding),
                   field("output_padding", &Self::output_padding),
                   field("dilation_rate", &Self::dilation_rate),
                   field("activation", &Self::activation), field("use_bias", &Self::use_bias),
                   field("kernel_initializer", &Self::kernel_initializer),
                   field("bias_initializer", &Self::bias_initializer),
                   field("kernel_regularizer", &Self::kernel_regularizer),
                   field("kernel_constraint", &Self::kernel_constraint)),
        bias_fields<Self>(), common_fields<Self>());
  }
};

using Conv1DTranspose = TransposedConvolution<1>;
using Conv2DTranspose = TransposedConvolution<2>;
using Conv3DTranspose = TransposedConvolution<3>;

extern template Layer::Layer(Conv1DTranspose);
extern template Layer::Layer(Conv2DTranspose);
extern template Layer::Layer(Conv3DTranspose);

}  // namespace systolic::inline v0
