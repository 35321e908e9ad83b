// x + y * scale for two inputs, as Inception-ResNet adds a block to its input
// (keras.applications' CustomScaleLayer). Internal to applications.
//
//   ScaledSum{.scale = 0.17}({x, up})            all shapes [batch, height, width, channels]
#pragma once

#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {
namespace applications {

struct ScaledSum {
  static constexpr const char* kind = "CustomScaleLayer";
  static constexpr LayerTraits traits = {};
  Required<double> scale;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  SYSTOLIC_MERGING_LAYER_CALLS

  template <class Self = ScaledSum>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("scale", &Self::scale)), common_fields<Self>());
  }
};

}  // namespace applications
}  // namespace systolic::inline v0
