// Zeros around the spatial axes: ZeroPadding1D to 3D (keras.layers).
//
//   ZeroPadding1D{.padding = {2, 0}}                   two steps of 0 before the sequence
//   ZeroPadding2D{.padding = {{1, 1}, {2, 2}}}         ((top, bottom), (left, right))
//   [batch, height, width, channels] -> [batch, height + top + bottom, width + left + right,
//   channels]
//
// 1 on all sides by default. A negative padding is an InvalidArgument.
#pragma once

#include "systolic/nn/config/margins.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// The names of ZeroPadding<1>, <2> and <3> in configurations.
inline constexpr const char* zero_padding_kinds[] = {"ZeroPadding1D", "ZeroPadding2D",
                                                     "ZeroPadding3D"};

template <int rank>
struct ZeroPadding {
  static constexpr const char* kind = zero_padding_kinds[rank - 1];
  static constexpr LayerTraits traits = {};
  Margins<rank> padding = 1;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = ZeroPadding>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("padding", &Self::padding)), common_fields<Self>());
  }
};

using ZeroPadding1D = ZeroPadding<1>;
using ZeroPadding2D = ZeroPadding<2>;
// {{front, back}, {top, bottom}, {left, right}} of [batch, depth, height, width, channels].
using ZeroPadding3D = ZeroPadding<3>;

extern template Layer::Layer(ZeroPadding1D);
extern template Layer::Layer(ZeroPadding2D);
extern template Layer::Layer(ZeroPadding3D);

}  // namespace systolic::inline v0
