// x for x > 0, alpha (exp(x) - 1) below (keras.layers.ELU; Clevert et al. 2015): any shape.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct ELU {
  static constexpr const char* kind = "ELU";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  double alpha = 1.0;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = ELU>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("alpha", &Self::alpha)), common_fields<Self>());
  }
};

extern template Layer::Layer(ELU);

}  // namespace systolic::inline v0
