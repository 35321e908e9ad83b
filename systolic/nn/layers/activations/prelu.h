// x for x > 0, alpha x below, with alphas that are trained (keras.layers.PReLU; He et al. 2015).
//
//   PReLU{.shared_axes = {1, 2}}      one alpha for each channel of [batch, height, width,
//   channels]
//
// Weights: alpha, the input's shape without the batch, and 1 along the shared axes. An axis that
// the input has not is an InvalidArgument.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct PReLU {
  static constexpr const char* kind = "PReLU";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  Initializer alpha_initializer = "zeros";
  Regularizer alpha_regularizer = {};
  Constraint alpha_constraint = {};
  std::vector<int64_t> shared_axes = {};  // counted from the batch, which is 0
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = PReLU>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("alpha_initializer", &Self::alpha_initializer),
                                     field("alpha_regularizer", &Self::alpha_regularizer),
                                     field("alpha_constraint", &Self::alpha_constraint),
                                     field("shared_axes", &Self::shared_axes)),
                          common_fields<Self>());
  }
};

extern template Layer::Layer(PReLU);

}  // namespace systolic::inline v0
