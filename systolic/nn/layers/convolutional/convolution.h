// Convolutions over time, images and volumes: Conv1D, Conv2D and Conv3D (keras.layers).
//
//   Conv2D{.filters = 32, .kernel_size = 3, .activation = "relu"}
//   [batch, height, width, in] -> [batch, height', width', filters]
//   Conv1D{.filters = 32, .kernel_size = 5, .padding = "causal"}
//   [batch, steps, in] -> [batch, steps', filters]
//
// A size' is ceil((size - dilated kernel + 1) / stride) for "valid", ceil(size / stride) for
// "same"; Conv1D alone takes "causal". Weights: kernel [kernel sizes..., in / groups, filters],
// bias [filters]. activity_regularizer is of the output, divided by the number of examples. A
// window that does not fit, groups that do not divide the channels and the filters, and counts
// below 1 are an InvalidArgument.
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/size3.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// The names of Convolution<1>, <2> and <3> in configurations.
inline constexpr const char* convolution_kinds[] = {"Conv1D", "Conv2D", "Conv3D"};

template <int rank>
struct Convolution {
  static constexpr const char* kind = convolution_kinds[rank - 1];
  static constexpr LayerTraits traits = {};
  Required<int64_t> filters;
  Required<SpatialSize<rank>> kernel_size;
  SpatialSize<rank> strides = 1;
  Padding padding = "valid";
  SpatialSize<rank> dilation_rate = 1;
  int64_t groups = 1;
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

  template <class Self = Convolution>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("filters", &Self::filters), field("kernel_size", &Self::kernel_size),
                   field("strides", &Self::strides), field("padding", &Self::padding),
                   field("dilation_rate", &Self::dilation_rate), field("groups", &Self::groups),
                   field("activation", &Self::activation), field("use_bias", &Self::use_bias),
                   field("kernel_initializer", &Self::kernel_initializer),
                   field("bias_initializer", &Self::bias_initializer),
                   field("kernel_regularizer", &Self::kernel_regularizer),
                   field("kernel_constraint", &Self::kernel_constraint)),
        bias_fields<Self>(), common_fields<Self>());
  }
};

using Conv1D = Convolution<1>;
using Conv2D = Convolution<2>;
using Conv3D = Convolution<3>;

extern template Layer::Layer(Conv1D);
extern template Layer::Layer(Conv2D);
extern template Layer::Layer(Conv3D);

}  // namespace systolic::inline v0
