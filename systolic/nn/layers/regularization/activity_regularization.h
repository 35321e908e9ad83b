// The input as it is, with a penalty on it among the losses (keras.layers.ActivityRegularization):
// (l1 * sum |x| + l2 * sum x^2) / examples, where rows that only pad do not count.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct ActivityRegularization {
  static constexpr const char* kind = "ActivityRegularization";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  double l1 = 0.0;
  double l2 = 0.0;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = ActivityRegularization>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("l1", &Self::l1), field("l2", &Self::l2)),
                          common_fields<Self>());
  }
};

extern template Layer::Layer(ActivityRegularization);

}  // namespace systolic::inline v0
