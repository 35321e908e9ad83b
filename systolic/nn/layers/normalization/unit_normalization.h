// Scales each example to the length 1 over `axis` (keras.layers.UnitNormalization): x / |x|. An
// axis that the input has not is an InvalidArgument.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct UnitNormalization {
  static constexpr const char* kind = "UnitNormalization";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  std::vector<int64_t> axis = {-1};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = UnitNormalization>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("axis", &Self::axis)), common_fields<Self>());
  }
};

extern template Layer::Layer(UnitNormalization);

}  // namespace systolic::inline v0
