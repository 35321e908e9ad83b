// Compiles what a layer of the library needs, once and in its own .cc file: the conversion of the
// spec to a Layer, for which its header has `extern template`, and the reading of its fields.
// Programs that use the layer compile neither. Internal to nn.
//
//   SYSTOLIC_DEFINE_LAYER(Dense)     // at the end of dense.cc
#pragma once

#include "systolic/nn/config/layer_from_fields.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

template <class Spec>
Layer layer_from_fields(const Config& values) {
  return Layer(spec_from<Spec>(values));
}

#define SYSTOLIC_DEFINE_LAYER(Spec) \
  template Layer::Layer(Spec);      \
  template Layer layer_from_fields<Spec>(const Config& values);

}  // namespace systolic::inline v0
