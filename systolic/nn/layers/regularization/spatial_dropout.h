// While training, sets whole channels to 0 with probability `rate` and scales the others by 1 / (1
// - rate): SpatialDropout1D to 3D (keras.layers; Tompson et al. 2014). Otherwise the identity.
//
//   SpatialDropout2D{.rate = 0.2}      [batch, height, width, channels] -> the same shape
//
// A rate outside of [0, 1] and another number of axes are an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// The names of SpatialDropout<1>, <2> and <3> in configurations.
inline constexpr const char* spatial_dropout_kinds[] = {"SpatialDropout1D", "SpatialDropout2D",
                                                        "SpatialDropout3D"};

template <int rank>
struct SpatialDropout {
  static constexpr const char* kind = spatial_dropout_kinds[rank - 1];
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  Required<double> rate;
  std::optional<int64_t> seed = {};  // instead of the model's
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = SpatialDropout>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("rate", &Self::rate), field("seed", &Self::seed)),
                          common_fields<Self>());
  }
};

using SpatialDropout1D = SpatialDropout<1>;
using SpatialDropout2D = SpatialDropout<2>;
// [batch, depth, height, width, channels] -> the same shape.
using SpatialDropout3D = SpatialDropout<3>;

extern template Layer::Layer(SpatialDropout1D);
extern template Layer::Layer(SpatialDropout2D);
extern template Layer::Layer(SpatialDropout3D);

}  // namespace systolic::inline v0
