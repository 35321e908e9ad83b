// Normalizes the channels of each example in groups (keras.layers.GroupNormalization; Wu and He
// 2018).
//
//   y = (x - mean) / sqrt(variance + epsilon) * gamma + beta
//
// Mean and variance are those of a group of channels over all other axes but the batch. groups = -1
// has a group for each channel (instance normalization). Computed in f32. Weights: gamma and beta
// [channels]. Groups that do not divide the channels are an InvalidArgument.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct GroupNormalization {
  static constexpr const char* kind = "GroupNormalization";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  int64_t groups = 32;
  int64_t axis = -1;  // of the channels
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

  SYSTOLIC_LAYER_CALLS

  template <class Self = GroupNormalization>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("groups", &Self::groups), field("axis", &Self::axis),
                   field("epsilon", &Self::epsilon), field("center", &Self::center),
                   field("scale", &Self::scale), field("beta_initializer", &Self::beta_initializer),
                   field("gamma_initializer", &Self::gamma_initializer),
                   field("beta_regularizer", &Self::beta_regularizer),
                   field("beta_constraint", &Self::beta_constraint),
                   field("gamma_regularizer", &Self::gamma_regularizer),
                   field("gamma_constraint", &Self::gamma_constraint)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(GroupNormalization);

}  // namespace systolic::inline v0
