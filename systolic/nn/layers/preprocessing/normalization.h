// (x - mean) / sqrt(variance), by statistics known beforehand (keras.layers.Normalization). One
// mean and variance for all, or one for each element of the last axis.
//
//   Normalization{.mean = {0.5}, .variance = {0.25}}
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Normalization {
  static constexpr const char* kind = "Normalization";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  static constexpr bool casts_inputs = false;  // statistics_dtype.h
  Required<std::vector<double>> mean;
  Required<std::vector<double>> variance;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Normalization{...}; l(x)

  template <class Self = Normalization>
  static constexpr auto fields() {
    return std::tuple(field("mean", &Self::mean), field("variance", &Self::variance),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(Normalization);

}  // namespace systolic::inline v0
