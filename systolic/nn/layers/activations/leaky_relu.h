// x for x > 0, negative_slope x below (keras.layers.LeakyReLU; Maas et al. 2013): any shape.
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct LeakyReLU {
  static constexpr const char* kind = "LeakyReLU";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  double negative_slope = 0.3;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = LeakyReLU{...}; l(x)

  template <class Self = LeakyReLU>
  static constexpr auto fields() {
    return std::tuple(field("negative_slope", &Self::negative_slope), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(LeakyReLU);

}  // namespace systolic::inline v0
