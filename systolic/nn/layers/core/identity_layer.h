// The input as it is (keras.layers.Identity): any shape. `Identity` is the initializer.
//
//   Layer head = IdentityLayer{};      // where a layer may stand, or none
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct IdentityLayer {
  static constexpr const char* kind = "Identity";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = IdentityLayer>
  static constexpr auto fields() {
    return common_fields<Self>();
  }
};

extern template Layer::Layer(IdentityLayer);

}  // namespace systolic::inline v0
