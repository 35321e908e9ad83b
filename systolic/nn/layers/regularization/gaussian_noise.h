// While training, adds normal noise (keras.layers.GaussianNoise); otherwise the identity. Any
// shape.
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct GaussianNoise {
  static constexpr const char* kind = "GaussianNoise";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  Required<double> stddev;
  std::optional<int64_t> seed = {};  // instead of the model's
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = GaussianNoise{...}; l(x)

  template <class Self = GaussianNoise>
  static constexpr auto fields() {
    return std::tuple(field("stddev", &Self::stddev), field("seed", &Self::seed),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(GaussianNoise);

}  // namespace systolic::inline v0
