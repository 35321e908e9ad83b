// A fixed vector of sines and cosines for each position (keras_hub.layers.SinePositionEncoding;
// Vaswani et al. 2017, section 3.5).
//
//   Symbol y = x + SinePositionEncoding{}(x);
//
// [batch, ..., length, features] -> the same shape: feature i of position p is sin(p *
// max_wavelength^(-i / features)) for even i, and the cosine of the one before for odd i. Computed
// in f32.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct SinePositionEncoding {
  static constexpr const char* kind = "SinePositionEncoding";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  double max_wavelength = 10000;
  int64_t start_index = 0;  // an argument of the call in Keras
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
      delete;  // to share it: Layer l = SinePositionEncoding{...}; l(x)

  static KerasForm keras_form() { return {.is_of_keras = false}; }  // KerasHub has it
  template <class Self = SinePositionEncoding>
  static constexpr auto fields() {
    return std::tuple(field("max_wavelength", &Self::max_wavelength),
                      field("start_index", &Self::start_index), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(SinePositionEncoding);

}  // namespace systolic::inline v0
