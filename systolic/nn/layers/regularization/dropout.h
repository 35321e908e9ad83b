// While training, sets elements to 0 with probability `rate` and scales the others by 1 / (1 -
// rate) (keras.layers.Dropout; Srivastava et al. 2014). Otherwise the identity.
//
// The mask depends on the seed, the step, the layer and the position in the global batch only.
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Dropout {
  static constexpr const char* kind = "Dropout";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  Required<double> rate;
  std::vector<int64_t> noise_shape =
      {};  // of the mask; 1 shares it along an axis, -1 is the input's size
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
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Dropout{...}; l(x)

  template <class Self = Dropout>
  static constexpr auto fields() {
    return std::tuple(field("rate", &Self::rate), field("noise_shape", &Self::noise_shape),
                      field("seed", &Self::seed), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(Dropout);

}  // namespace systolic::inline v0
