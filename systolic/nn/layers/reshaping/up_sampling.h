// Each element of the spatial axes several times: UpSampling1D to 3D (keras.layers).
//
//   UpSampling1D{.size = 3}                                      [batch, steps, channels] ->
//                                                                [batch, 3 steps, channels]
//   UpSampling2D{.size = {2, 4}, .interpolation = "bilinear"}
//   [batch, height, width, channels] -> [batch, 2 height, 4 width, channels]
//
// UpSampling2D's `interpolation` may make the new elements of those that lie near, with half-pixel
// centers. A size below 1 is an InvalidArgument.
#pragma once

#include "systolic/nn/config/interpolation.h"
#include "systolic/nn/config/size3.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

template <int rank>
struct UpSampling {
  static_assert(rank == 1 || rank == 3);
  static constexpr const char* kind = rank == 1 ? "UpSampling1D" : "UpSampling3D";
  static constexpr LayerTraits traits = {};
  SpatialSize<rank> size = 2;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = UpSampling>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("size", &Self::size)), common_fields<Self>());
  }
};

using UpSampling1D = UpSampling<1>;
// [batch, depth, height, width, channels], each spatial axis `size` times as long.
using UpSampling3D = UpSampling<3>;

struct UpSampling2D {
  static constexpr const char* kind = "UpSampling2D";
  static constexpr LayerTraits traits = {};
  Size2 size = 2;
  Interpolation interpolation = "nearest";
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = UpSampling2D>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("size", &Self::size), field("interpolation", &Self::interpolation)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(UpSampling1D);
extern template Layer::Layer(UpSampling2D);
extern template Layer::Layer(UpSampling3D);

}  // namespace systolic::inline v0
