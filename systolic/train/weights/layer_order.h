// The order in which Keras lists a functional model's layers. Names of weights in its files count
// on it ("layers/dense_1"), and so does the optimizer's state. Internal to train and
// saving.
#pragma once

#include <vector>

#include "systolic/nn/network/graph_spec.h"

namespace systolic::inline v0 {
namespace saving {

// The graph's layers and inputs, those farthest from the outputs first; equally far ones in the
// order in which a walk from the outputs back finds them (map_graph of keras/src/ops/function.py).
// Those of a network from a file stand as the file lists them.
// For Sequential: its layers as they stand, without an input.
struct OrderedLayer {
  int child = -1;          // among the graph's layers; -1: an input
  std::vector<int> nodes;  // of it, in their order
};
std::vector<OrderedLayer> layers_in_keras_order(const GraphSpec& graph);

// Whether the graph is a chain of different layers from one input to one output, as Keras's
// Sequential is.
bool is_chain(const GraphSpec& graph);

}  // namespace saving
}  // namespace systolic::inline v0
