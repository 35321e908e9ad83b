// Networks as Keras 3's configurations, both ways: {"module": "keras", "class_name": "Sequential",
// "config": {"layers": [...]}}, or "Functional" with each layer's calls. Internal to saving.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {
namespace saving {

// What no file can hold (a layer of the program's own without fields() or unregistered, an
// activation that is a function) is added to `problems`, a line each; the result is of no use then.
Config network_to_keras(const Network& network, std::vector<std::string>& problems);

// The network, built: its weights are there and start as its initializers say. A layer that is not
// known, a field that is not, code, more than 10,000 layers, a graph with a cycle: errors that name
// the layer.
Network network_from_keras(const Config& config, SourceLocation location);

// A Sequential model of one layer, which takes [batch, 1] of that type.
Config chain_of_layer(const Layer& layer, const std::string& name, DType input,
                      std::vector<std::string>& problems);

// A layer that is not a network, as this library's configurations have it: {"class_name",
// "config"}.
Config layer_config_from_keras(const Config& object);

}  // namespace saving
}  // namespace systolic::inline v0
