// While training, sets elements to the value that selu tends to with probability `rate`, and scales
// and shifts all so that mean and variance stay (keras.layers.AlphaDropout; Klambauer et al. 2017).
// Otherwise the identity. Any shape; a rate outside of [0, 1) is an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct AlphaDropout {
  static constexpr const char* kind = "AlphaDropout";
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

  SYSTOLIC_LAYER_CALLS

  template <class Self = AlphaDropout>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("rate", &Self::rate), field("noise_shape", &Self::noise_shape),
                   field("seed", &Self::seed)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(AlphaDropout);

}  // namespace systolic::inline v0
