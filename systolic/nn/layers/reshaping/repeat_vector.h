// A row for each of `n` steps (keras.layers.RepeatVector).
//
//   RepeatVector{.n = 3}      [batch, features] -> [batch, 3, features]
//
// An n below 1 and another number of axes are an InvalidArgument.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct RepeatVector {
  static constexpr const char* kind = "RepeatVector";
  static constexpr LayerTraits traits = {};
  Required<int64_t> n;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = RepeatVector>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("n", &Self::n)), common_fields<Self>());
  }
};

extern template Layer::Layer(RepeatVector);

}  // namespace systolic::inline v0
