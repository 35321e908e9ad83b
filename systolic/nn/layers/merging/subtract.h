// The first input minus the second (keras.layers.Subtract).
//
//   Symbol z = Subtract{}({x, y});
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Subtract {
  static constexpr const char* kind = "Subtract";
  static constexpr LayerTraits traits = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  Symbol operator()(const std::vector<Symbol>& xs) && { return call_once(std::move(*this), xs); }
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context) && {
    return call_once(std::move(*this), xs, context);
  }

  template <class Self = Subtract>
  static constexpr auto fields() {
    return common_fields<Self>();
  }
};

extern template Layer::Layer(Subtract);

}  // namespace systolic::inline v0
