// Layers one after another, as one layer (keras.layers.Pipeline): of preprocessing, most often,
// which stays together under one name.
//
//   Pipeline augment{.layers = {RandomFlip{}, RandomRotation{.factor = 0.1}}};
//   the first layer's input to the last one's output
//
// Each is called on what the one before gave. A layer inside that takes several inputs, and no
// layers at all, are an InvalidArgument. Weights: those of the layers inside.
#pragma once

#include <vector>

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/config/required.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/inner_layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Pipeline {
  static constexpr const char* kind = "Pipeline";
  static constexpr bool casts_inputs = false;  // layers inside do, each by its own policy
  Required<std::vector<InnerLayer>> layers;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  static KerasForm keras_form();

  SYSTOLIC_LAYER_CALLS

  template <class Self = Pipeline>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("layers", &Self::layers)), common_fields<Self>());
  }
};

extern template Layer::Layer(Pipeline);

}  // namespace systolic::inline v0
