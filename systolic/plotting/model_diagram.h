// A network as boxes and lines, before it is DOT or SVG. Internal to plotting.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {
namespace plotting {

// A layer, however often it is called.
struct DiagramBox {
  std::string name, kind;
  std::string activation;  // empty without one
  // As the first call had them; -1 for unknown axes. An InputLayer has no inputs.
  std::vector<Shape> inputs, outputs;
  std::vector<DType> output_types;
  bool has_weights = false, trainable = true;
  int frame = -1;  // the network that it is shown in; -1: the outermost
};

struct DiagramFrame {
  std::string name;
  int frame = -1;  // around this one
};

struct Diagram {
  std::vector<DiagramBox> boxes;
  std::vector<DiagramFrame> frames;
  std::vector<std::pair<int, int>> lines;  // from box to box, each once
};

// The network must be built. Those inside it are frames with `expand_nested`, else boxes.
Diagram diagram_of(const Network& network, bool expand_nested);

}  // namespace plotting
}  // namespace systolic::inline v0
