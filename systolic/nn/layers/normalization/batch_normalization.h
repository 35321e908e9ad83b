// Normalizes each channel by the statistics of the batch while training, and by their moving
// averages otherwise (keras.layers.BatchNormalization; Ioffe and Szegedy 2015).
//
//   y = (x - mean) / sqrt(variance + epsilon) * gamma + beta
//
// The statistics are those of the global batch, whatever the number of cores; `.synchronized =
// false` takes each core's own share inside strategy.run, as Keras does by default there. Computed
// in f32. A frozen layer (set_trainable(false)) uses the moving averages while training too.
//
// Weights: gamma, beta, moving_mean, moving_variance, all [channels].
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct BatchNormalization {
  static constexpr const char* kind = "BatchNormalization";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  static constexpr bool casts_inputs = false;  // statistics_dtype.h
  int64_t axis = -1;                           // of the channels
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros";
  Initializer moving_variance_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  Constraint beta_constraint = {};
  Constraint gamma_constraint = {};
  bool synchronized = true;
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
      delete;  // to share it: Layer l = BatchNormalization{...}; l(x)

  static KerasForm keras_form();
  template <class Self = BatchNormalization>
  static constexpr auto fields() {
    return std::tuple(field("axis", &Self::axis), field("momentum", &Self::momentum),
                      field("epsilon", &Self::epsilon), field("center", &Self::center),
                      field("scale", &Self::scale),
                      field("beta_initializer", &Self::beta_initializer),
                      field("gamma_initializer", &Self::gamma_initializer),
                      field("moving_mean_initializer", &Self::moving_mean_initializer),
                      field("moving_variance_initializer", &Self::moving_variance_initializer),
                      field("beta_regularizer", &Self::beta_regularizer),
                      field("beta_constraint", &Self::beta_constraint),
                      field("gamma_regularizer", &Self::gamma_regularizer),
                      field("gamma_constraint", &Self::gamma_constraint),
                      field("synchronized", &Self::synchronized), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(BatchNormalization);

}  // namespace systolic::inline v0
