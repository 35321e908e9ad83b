// x times the probability that a standard normal is below x (Hendrycks and Gimpel 2016): any shape.
// `approximate` takes the form with tanh.
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct GELU {
  static constexpr const char* kind = "GELU";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  bool approximate = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = GELU{...}; l(x)

  template <class Self = GELU>
  static constexpr auto fields() {
    return std::tuple(field("approximate", &Self::approximate), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(GELU);

}  // namespace systolic::inline v0
