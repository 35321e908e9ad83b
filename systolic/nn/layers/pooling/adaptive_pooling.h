// The largest or the mean of the elements of each of `output_size` parts of an axis:
// AdaptiveMaxPooling1D to 3D and AdaptiveAveragePooling1D to 3D (keras.layers).
//
//   AdaptiveAveragePooling2D{.output_size = {7, 7}}
//                                [batch, height, width, channels] -> [batch, 7, 7, channels]
//
// The part i of an axis with `size` elements goes from floor(i size / n) up to, without,
// ceil((i + 1) size / n), with n of output_size: parts may overlap by one element. An output_size
// below 1 is an InvalidArgument.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/pooling/pooling.h"

namespace systolic::inline v0 {

// Their names in configurations, by Pool and by the number of spatial axes.
inline constexpr const char* adaptive_pooling_kinds[2][3] = {
    {"AdaptiveMaxPooling1D", "AdaptiveMaxPooling2D", "AdaptiveMaxPooling3D"},
    {"AdaptiveAveragePooling1D", "AdaptiveAveragePooling2D", "AdaptiveAveragePooling3D"}};

template <Pool pool, int rank>
struct AdaptivePooling {
  static constexpr const char* kind = adaptive_pooling_kinds[static_cast<int>(pool)][rank - 1];
  static constexpr LayerTraits traits = {};
  Required<SpatialSize<rank>> output_size;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = AdaptivePooling>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("output_size", &Self::output_size)),
                          common_fields<Self>());
  }
};

using AdaptiveMaxPooling1D = AdaptivePooling<Pool::max, 1>;
// The largest element of each part of a picture: [batch, height, width, channels] -> [batch,
// output_size..., channels].
using AdaptiveMaxPooling2D = AdaptivePooling<Pool::max, 2>;
// The largest element of each part of a volume: [batch, depth, height, width, channels] -> [batch,
// output_size..., channels].
using AdaptiveMaxPooling3D = AdaptivePooling<Pool::max, 3>;
using AdaptiveAveragePooling1D = AdaptivePooling<Pool::average, 1>;
using AdaptiveAveragePooling2D = AdaptivePooling<Pool::average, 2>;
// The mean of each part of a volume: [batch, depth, height, width, channels] -> [batch,
// output_size..., channels].
using AdaptiveAveragePooling3D = AdaptivePooling<Pool::average, 3>;

extern template Layer::Layer(AdaptiveMaxPooling1D);
extern template Layer::Layer(AdaptiveMaxPooling2D);
extern template Layer::Layer(AdaptiveMaxPooling3D);
extern template Layer::Layer(AdaptiveAveragePooling1D);
extern template Layer::Layer(AdaptiveAveragePooling2D);
extern template Layer::Layer(AdaptiveAveragePooling3D);

}  // namespace systolic::inline v0
