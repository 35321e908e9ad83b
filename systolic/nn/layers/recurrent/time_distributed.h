// A layer at each step of a sequence, with the same weights (keras.layers.TimeDistributed).
//
//   TimeDistributed{.layer = Conv2D{.filters = 8, .kernel_size = 3}}
//   [batch, steps, height, width, channels] -> [batch, steps, height', width', 8]
//
// The layer is called once for each step: a Dropout draws anew, and a BatchNormalization knows one
// step alone, as in Keras. What takes any number of axes, such as Dense, needs no TimeDistributed.
// An input of fewer than 3 axes, no steps, and a layer of several outputs are an InvalidArgument.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/inner_layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct TimeDistributed {
  static constexpr const char* kind = "TimeDistributed";
  static constexpr bool supports_masking = true;
  Required<InnerLayer> layer;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  static KerasForm keras_form();

  SYSTOLIC_LAYER_CALLS

  template <class Self = TimeDistributed>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("layer", &Self::layer)), common_fields<Self>());
  }
};

extern template Layer::Layer(TimeDistributed);

}  // namespace systolic::inline v0
