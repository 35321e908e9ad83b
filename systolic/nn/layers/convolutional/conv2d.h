// A convolution over height and width (keras.layers.Conv2D).
//
//   Conv2D{.filters = 32, .kernel_size = 3, .activation = "relu"}
//   [batch, height, width, in] -> [batch, height', width', filters]
//
// height' is ceil((height - dilated kernel + 1) / stride) for "valid", ceil(height / stride) for
// "same". Weights: kernel [kernel height, kernel width, in / groups, filters], bias [filters].
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Conv2D {
  static constexpr const char* kind = "Conv2D";
  static constexpr LayerTraits traits = {};
  Required<int64_t> filters;
  Required<Size2> kernel_size;
  Size2 strides = 1;
  Padding padding = "valid";
  Size2 dilation_rate = 1;
  int64_t groups = 1;
  Activation activation = "linear";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
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
  void operator()(Inputs&&...) const& = delete;  // to share weights: Layer c = Conv2D{...}; c(x)

  template <class Self = Conv2D>
  static constexpr auto fields() {
    return convolution_fields<Self>();
  }
};

extern template Layer::Layer(Conv2D);

}  // namespace systolic::inline v0
