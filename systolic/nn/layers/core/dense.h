// A fully connected layer: activation(x · kernel + bias) (keras.layers.Dense).
//
//   Dense{.units = 10}     [batch, ..., in] -> [batch, ..., units]
//
// Weights: kernel [in, units], bias [units]. activity_regularizer is of the output, divided by the
// number of examples, as in Keras 3.
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Dense {
  static constexpr const char* kind = "Dense";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  Required<int64_t> units;
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

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share weights: Layer d = Dense{...}; d(x)

  template <class Self = Dense>
  static constexpr auto fields() {
    return std::tuple(field("units", &Self::units), field("activation", &Self::activation),
                      field("use_bias", &Self::use_bias),
                      field("kernel_initializer", &Self::kernel_initializer),
                      field("bias_initializer", &Self::bias_initializer),
                      field("kernel_regularizer", &Self::kernel_regularizer),
                      field("kernel_constraint", &Self::kernel_constraint),
                      field("bias_regularizer", &Self::bias_regularizer),
                      field("bias_constraint", &Self::bias_constraint),
                      field("activity_regularizer", &Self::activity_regularizer),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(Dense);

}  // namespace systolic::inline v0
