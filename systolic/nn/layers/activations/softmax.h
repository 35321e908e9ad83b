// exp(x) divided by its sum along `axis` (keras.layers.Softmax): any shape.
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Softmax {
  static constexpr const char* kind = "Softmax";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  int64_t axis = -1;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Softmax{...}; l(x)

  template <class Self = Softmax>
  static constexpr auto fields() {
    return std::tuple(field("axis", &Self::axis), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(Softmax);

}  // namespace systolic::inline v0
