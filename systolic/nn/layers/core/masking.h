// Says which steps of a sequence are padding (keras.layers.Masking): those whose features all equal
// mask_value. They become 0, and the output carries the mask (nn/step_mask.h).
//
//   [batch, steps, features] -> the same shape
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Masking {
  static constexpr const char* kind = "Masking";
  static constexpr LayerTraits traits = {};
  double mask_value = 0.0;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = Masking>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("mask_value", &Self::mask_value)),
                          common_fields<Self>());
  }
};

extern template Layer::Layer(Masking);

}  // namespace systolic::inline v0
