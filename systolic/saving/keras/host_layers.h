// Models that begin with layers that take text, as Keras saves them: these layers run on the host
// (nn/layers/preprocessing), the others on a device. Internal to saving.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {
namespace saving {

// A layer on the host: which arrays it takes, and what it makes of them.
struct HostLayer {
  std::string name;                 // of what it gives
  std::vector<std::string> inputs;  // the model's own, or other layers on the host
  std::function<Literal(const std::vector<Literal>& xs)> call;
};

// An input of the model as the file has it.
struct HostInput {
  std::string name;
  size_t rank = 1;  // with the batch
};

struct HostSplit {
  std::vector<HostLayer> layers;  // each after those whose results it takes
  std::vector<HostInput> inputs;
  Config device_network;  // its inputs have the names of the layers above, and of other inputs
};

// `network`: a file's configuration with what its layers learnt (learned_states.h). The batch of a
// text may have a second axis of size 1, which the layers take as Keras's do.
// InvalidArgument: no input of strings. Unimplemented: a layer that takes strings and is not known
// to run on the host, or that stands in a network inside; strings that no layer takes.
HostSplit split_host_layers(const Config& network);

}  // namespace saving
}  // namespace systolic::inline v0
