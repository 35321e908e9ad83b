// Inputs joined along `axis` (keras.layers.Concatenate); their other sizes must be equal.
//
//   Symbol z = Concatenate{}({x, y});       // [batch, a], [batch, b] -> [batch, a + b]
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Concatenate {
  static constexpr const char* kind = "Concatenate";
  static constexpr LayerTraits traits = {};
  int64_t axis = -1;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  Symbol operator()(const std::vector<Symbol>& xs) && { return call_once(std::move(*this), xs); }
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context) && {
    return call_once(std::move(*this), xs, context);
  }

  template <class Self = Concatenate>
  static constexpr auto fields() {
    return std::tuple(field("axis", &Self::axis), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(Concatenate);

}  // namespace systolic::inline v0
