// While training, adds normal noise (keras.layers.GaussianNoise); otherwise the identity. Any
// shape.
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct GaussianNoise {
  static constexpr const char* kind = "GaussianNoise";
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

  static constexpr auto fields() {
    return std::tuple(field("stddev", &GaussianNoise::stddev), field("seed", &GaussianNoise::seed),
                      field("dtype", &GaussianNoise::dtype), field("name", &GaussianNoise::name));
  }
};

}  // namespace systolic::inline v0
