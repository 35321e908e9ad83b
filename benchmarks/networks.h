// Networks by name, for network_step and network_predict. Their peers
// (benchmarks/peers/keras_network.py, torch_network.py) build the same; all of them have their
// sizes from networks.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/systolic.h"

namespace systolic {

struct NetworkSizes {
  int64_t batch = 0;  // global batch
  int64_t size = 0;   // edge of an image, steps of a sequence, rows of a table; 0: it has none
  int64_t width = 0;  // channels, units or features; 0: it has none
};

struct MeasuredNetwork {
  const char* name;
  NetworkSizes sizes;  // those of networks.json
  Optimizer (*optimizer)();
  Model (*build)(const NetworkSizes& sizes);
  Example (*batch)(const NetworkSizes& sizes);  // what fit() takes: the input and labels below 10
};

// All of them, in the order of docs/scorecard.md.
const std::vector<MeasuredNetwork>& networks();
// The sizes that were given (others are 0), and the network's own for the rest.
NetworkSizes sizes_of(NetworkSizes given, const MeasuredNetwork& network);
// Throws InvalidArgument with the names that there are.
const MeasuredNetwork& network(const std::string& name);

}  // namespace systolic
