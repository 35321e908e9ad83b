// A layer of the library from its configuration's values. Each is compiled in its own .cc file
// (nn/define_layer.h). Internal to nn.
#pragma once

#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {

class Layer;

template <class Spec>
Layer layer_from_fields(const Config& values);

}  // namespace systolic::inline v0
