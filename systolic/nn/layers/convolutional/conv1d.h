// A convolution over time or any sequence (keras.layers.Conv1D).
//
//   Conv1D{.filters = 32, .kernel_size = 5, .padding = "causal"}
//   [batch, steps, in] -> [batch, steps', filters]
//
// Weights: kernel [kernel size, in / groups, filters], bias [filters].
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Conv1D {
  static constexpr const char* kind = "Conv1D";
  static constexpr LayerTraits traits = {};
  Required<int64_t> filters;
  Required<int64_t> kernel_size;
  int64_t strides = 1;
  Padding padding = "valid";
  int64_t dilation_rate = 1;
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
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Conv1D{...}; l(x)

  template <class Self = Conv1D>
  static constexpr auto fields() {
    return convolution_fields<Self>();
  }
};

extern template Layer::Layer(Conv1D);

}  // namespace systolic::inline v0
