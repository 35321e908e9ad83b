// Divides each example by the root of its mean square over `axis` (keras.layers.RMSNormalization;
// Zhang and Sennrich 2019).
//
//   y = x / sqrt(mean(x^2) + epsilon) * scale
//
// Computed in f32. Weights: scale, of the sizes of `axis`. An axis that the input has not is an
// InvalidArgument.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct RMSNormalization {
  static constexpr const char* kind = "RMSNormalization";
  static constexpr LayerTraits traits = {};
  std::vector<int64_t> axis = {-1};
  double epsilon = 1e-6;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = RMSNormalization>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("axis", &Self::axis), field("epsilon", &Self::epsilon)),
                          common_fields<Self>());
  }
};

extern template Layer::Layer(RMSNormalization);

}  // namespace systolic::inline v0
