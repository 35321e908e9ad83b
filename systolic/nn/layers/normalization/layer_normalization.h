// Normalizes each example over `axis` (keras.layers.LayerNormalization; Ba et al. 2016).
//
//   y = (x - mean) / sqrt(variance + epsilon) * gamma + beta
//
// Computed in f32. Weights: gamma and beta, of the sizes of `axis`.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct LayerNormalization {
  static constexpr const char* kind = "LayerNormalization";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  static constexpr bool casts_inputs = false;  // statistics_dtype.h
  std::vector<int64_t> axis = {-1};
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  Constraint beta_constraint = {};
  Constraint gamma_constraint = {};
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
      delete;  // to share it: Layer l = LayerNormalization{...}; l(x)

  static KerasForm keras_form();
  template <class Self = LayerNormalization>
  static constexpr auto fields() {
    return std::tuple(field("axis", &Self::axis), field("epsilon", &Self::epsilon),
                      field("center", &Self::center), field("scale", &Self::scale),
                      field("beta_initializer", &Self::beta_initializer),
                      field("gamma_initializer", &Self::gamma_initializer),
                      field("beta_regularizer", &Self::beta_regularizer),
                      field("beta_constraint", &Self::beta_constraint),
                      field("gamma_regularizer", &Self::gamma_regularizer),
                      field("gamma_constraint", &Self::gamma_constraint),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(LayerNormalization);

}  // namespace systolic::inline v0
