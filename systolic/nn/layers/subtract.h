// The first input minus the second (keras.layers.Subtract).
//
//   Symbol z = Subtract{}({x, y});
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Subtract {
  static constexpr const char* kind = "Subtract";
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  Symbol operator()(const std::vector<Symbol>& xs) && { return call_once(std::move(*this), xs); }
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context) && {
    return call_once(std::move(*this), xs, context);
  }

  static constexpr auto fields() {
    return std::tuple(field("dtype", &Subtract::dtype), field("name", &Subtract::name));
  }
};

}  // namespace systolic::inline v0
