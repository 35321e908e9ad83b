// x * scale + offset (keras.layers.Rescaling): any shape; integers become the compute type.
//
//   Rescaling{.scale = 1.0 / 255}
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Rescaling {
  static constexpr const char* kind = "Rescaling";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  static constexpr bool casts_inputs = false;  // statistics_dtype.h
  Required<double> scale;
  double offset = 0.0;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Rescaling{...}; l(x)

  template <class Self = Rescaling>
  static constexpr auto fields() {
    return std::tuple(field("scale", &Self::scale), field("offset", &Self::offset),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(Rescaling);

}  // namespace systolic::inline v0
