// max(x, 0), also with a slope below the threshold and a largest value (keras.layers.ReLU): any
// shape.
//
//   x for x > threshold, at most max_value; else negative_slope (x - threshold)
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct ReLU {
  static constexpr const char* kind = "ReLU";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  std::optional<double> max_value = {};
  double negative_slope = 0.0;
  double threshold = 0.0;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = ReLU{...}; l(x)

  template <class Self = ReLU>
  static constexpr auto fields() {
    return std::tuple(field("max_value", &Self::max_value),
                      field("negative_slope", &Self::negative_slope),
                      field("threshold", &Self::threshold), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(ReLU);

}  // namespace systolic::inline v0
