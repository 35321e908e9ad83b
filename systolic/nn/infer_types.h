// The shape rule of layers: a layer's call on symbolic inputs, as Keras's compute_output_spec has
// it. The call says the shapes of the outputs and of the weights, and nothing else that it does is
// looked at: what it looks up, adds or masks it declares (LayerTraits). Internal to nn.
#pragma once

#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/symbol.h"

namespace systolic::inline v0 {

// What `layer` gives for inputs of these types. Unknown axes of the result are those that change
// with the unknown axes of the inputs. Builds the layer.
std::vector<SymbolType> infer_types(const Layer& layer, const std::vector<SymbolType>& inputs);

}  // namespace systolic::inline v0
