// The product of inputs of one shape, or of shapes that broadcast (keras.layers.Multiply).
//
//   Symbol z = Multiply{}({x, y});
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Multiply {
  static constexpr const char* kind = "Multiply";
  static constexpr LayerTraits traits = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  Symbol operator()(const std::vector<Symbol>& xs) && { return call_once(std::move(*this), xs); }
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context) && {
    return call_once(std::move(*this), xs, context);
  }

  template <class Self = Multiply>
  static constexpr auto fields() {
    return common_fields<Self>();
  }
};

extern template Layer::Layer(Multiply);

}  // namespace systolic::inline v0
