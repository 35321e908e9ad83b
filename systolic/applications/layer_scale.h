// x * gamma, one learned number for each channel that begins near 0 (Touvron et al. 2021, "Going
// deeper with image transformers"; keras.applications' LayerScale). Internal to applications.
//
//   LayerScale{.init_values = 1e-6, .projection_dim = 96}      [..., channels] -> the same
//
// Weights: gamma [projection_dim].
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {
namespace applications {

struct LayerScale {
  static constexpr const char* kind = "LayerScale";
  static constexpr LayerTraits traits = {};
  Required<double> init_values;
  Required<int64_t> projection_dim;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = LayerScale>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("init_values", &Self::init_values),
                                     field("projection_dim", &Self::projection_dim)),
                          common_fields<Self>());
  }
};

}  // namespace applications
}  // namespace systolic::inline v0
