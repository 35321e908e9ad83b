// An activation as a layer of its own (keras.layers.Activation): any shape.
//
//   ActivationLayer{.activation = "tanh"}
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct ActivationLayer {
  static constexpr const char* kind = "Activation";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  Activation activation = "linear";
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& =
      delete;  // to share it: Layer l = ActivationLayer{...}; l(x)

  template <class Self = ActivationLayer>
  static constexpr auto fields() {
    return std::tuple(field("activation", &Self::activation), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(ActivationLayer);

}  // namespace systolic::inline v0
