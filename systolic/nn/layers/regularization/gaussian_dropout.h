// While training, multiplies by normal noise around 1 with the standard deviation sqrt(rate / (1 -
// rate)) (keras.layers.GaussianDropout; Srivastava et al. 2014). Otherwise the identity. Any shape;
// a rate outside of [0, 1) is an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct GaussianDropout {
  static constexpr const char* kind = "GaussianDropout";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  Required<double> rate;
  std::optional<int64_t> seed = {};  // instead of the model's
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = GaussianDropout>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("rate", &Self::rate), field("seed", &Self::seed)),
                          common_fields<Self>());
  }
};

extern template Layer::Layer(GaussianDropout);

}  // namespace systolic::inline v0
