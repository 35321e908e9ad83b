// The sum of inputs of one shape, or of shapes that broadcast (keras.layers.Add).
//
//   Symbol z = Add{}({x, y});
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Add {
  static constexpr const char* kind = "Add";
  static constexpr LayerTraits traits = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  Symbol operator()(const std::vector<Symbol>& xs) && { return call_once(std::move(*this), xs); }
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context) && {
    return call_once(std::move(*this), xs, context);
  }

  template <class Self = Add>
  static constexpr auto fields() {
    return common_fields<Self>();
  }
};

extern template Layer::Layer(Add);

}  // namespace systolic::inline v0
