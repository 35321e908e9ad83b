// The spatial axes without their first and last elements: Cropping1D to 3D (keras.layers).
//
//   Cropping1D{.cropping = {1, 0}}                     without the first step
//   Cropping2D{.cropping = {{1, 1}, {2, 2}}}           ((top, bottom), (left, right))
//   [batch, height, width, channels] -> [batch, height - top - bottom, width - left - right,
//   channels]
//
// 1 on all sides by default, in Cropping2D 0. A cropping that leaves nothing, and a negative one,
// are an InvalidArgument.
#pragma once

#include "systolic/nn/config/margins.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// The names of Cropping<1>, <2> and <3> in configurations.
inline constexpr const char* cropping_kinds[] = {"Cropping1D", "Cropping2D", "Cropping3D"};

template <int rank>
struct Cropping {
  static constexpr const char* kind = cropping_kinds[rank - 1];
  static constexpr LayerTraits traits = {};
  Margins<rank> cropping = rank == 2 ? 0 : 1;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = Cropping>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("cropping", &Self::cropping)), common_fields<Self>());
  }
};

using Cropping1D = Cropping<1>;
using Cropping2D = Cropping<2>;
// {{front, back}, {top, bottom}, {left, right}} of [batch, depth, height, width, channels].
using Cropping3D = Cropping<3>;

extern template Layer::Layer(Cropping1D);
extern template Layer::Layer(Cropping2D);
extern template Layer::Layer(Cropping3D);

}  // namespace systolic::inline v0
