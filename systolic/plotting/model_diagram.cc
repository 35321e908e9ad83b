#include "systolic/plotting/model_diagram.h"

#include <algorithm>
#include <map>

#include "systolic/base/error.h"
#include "systolic/nn/network/graph_spec.h"

namespace systolic::inline v0 {
namespace plotting {
namespace {

// "relu" where a layer's configuration names an activation; empty where there is none.
std::string activation_of(const Layer& layer) {
  Config config;
  try {
    config = layer.get_config();
  } catch (const Unimplemented&) {
    return {};  // a layer of the program's own, without a list of fields
  }
  const Config* activation = config["config"].find("activation");
  if (activation == nullptr || activation->is_null()) return {};
  if (activation->is_text()) return activation->text_value();
  const Config* kind = activation->find("class_name");
  return kind != nullptr && kind->is_text() ? kind->text_value() : "function";
}

// Where lines into and out of a graph end: boxes by number of its input or output; several where
// an input has no box of its own.
struct GraphEnds {
  std::vector<std::vector<int>> inputs;
  std::vector<int> outputs;  // -1: an input without a box
};

class DiagramMaker {
 public:
  explicit DiagramMaker(bool expand_nested) : expand_nested_(expand_nested) {}

  GraphEnds add(const LayerState& state, int frame);
  Diagram take() { return std::move(diagram_); }

 private:
  // What stands for a node: a box, or a graph in a frame.
  struct Shown {
    int box = -1;
    const GraphEnds* inside = nullptr;
  };
  int add_box(const GraphSpec& graph, const GraphSpec::Node& node, std::string name, int frame);
  Shown show(const LayerState& state, const GraphSpec::Node& node, int frame);
  int source_of(const std::vector<Shown>& shown, const GraphSpec::Port& port) const;
  void add_line(int from, int to);

  bool expand_nested_;
  Diagram diagram_;
  std::map<const LayerState*, int> boxes_;
  std::map<const LayerState*, GraphEnds> graphs_;
};

void add_types(const std::vector<SymbolType>& types, DiagramBox& box) {
  for (const SymbolType& type : types) {
    box.outputs.push_back(type.shape);
    box.output_types.push_back(type.dtype);
  }
}

int DiagramMaker::add_box(const GraphSpec& graph, const GraphSpec::Node& node, std::string name,
                          int frame) {
  DiagramBox box;
  box.name = std::move(name);
  box.frame = frame;
  add_types(node.types, box);
  if (node.child < 0) {
    box.kind = "InputLayer";
  } else {
    const Layer& layer = graph.layers[static_cast<size_t>(node.child)];
    box.kind = layer.kind();
    box.activation = activation_of(layer);
    box.has_weights = !layer.weights().empty();
    box.trainable = layer.trainable();
    for (const auto& [from, output] : node.inputs) {
      const auto& types = graph.nodes[static_cast<size_t>(from)].types;
      if (static_cast<size_t>(output) < types.size())
        box.inputs.push_back(types[static_cast<size_t>(output)].shape);
    }
  }
  diagram_.boxes.push_back(std::move(box));
  return static_cast<int>(diagram_.boxes.size()) - 1;
}

DiagramMaker::Shown DiagramMaker::show(const LayerState& state, const GraphSpec::Node& node,
                                       int frame) {
  const auto& graph = static_cast<const GraphSpec&>(*state.spec);
  const LayerState::Child& child = state.children[static_cast<size_t>(node.child)];
  const LayerState* key = child.layer.state().get();
  if (expand_nested_ && key->spec->is_network()) {
    if (graphs_.count(key) == 0) {
      diagram_.frames.push_back({child.name, frame});
      GraphEnds ends = add(*key, static_cast<int>(diagram_.frames.size()) - 1);
      graphs_[key] = std::move(ends);
    }
    return {.inside = &graphs_.at(key)};
  }
  if (boxes_.count(key) == 0) boxes_[key] = add_box(graph, node, child.name, frame);
  return {.box = boxes_.at(key)};
}

int DiagramMaker::source_of(const std::vector<Shown>& shown, const GraphSpec::Port& port) const {
  const Shown& from = shown[static_cast<size_t>(port.first)];
  return from.inside == nullptr ? from.box
                                : GraphSpec::output_of(from.inside->outputs, port.second, "");
}

void DiagramMaker::add_line(int from, int to) {
  const std::pair<int, int> line(from, to);
  auto& lines = diagram_.lines;
  if (from >= 0 && std::find(lines.begin(), lines.end(), line) == lines.end())
    lines.push_back(line);
}

GraphEnds DiagramMaker::add(const LayerState& state, int frame) {
  const auto& graph = static_cast<const GraphSpec&>(*state.spec);
  // Keras shows the inputs of functional models only.
  const bool shows_inputs = graph.kind() != "Sequential";
  GraphEnds ends{.inputs = std::vector<std::vector<int>>(graph.inputs.size()), .outputs = {}};
  std::vector<Shown> shown(graph.nodes.size());
  const auto input_number = [&](int node) {
    const auto found = std::find(graph.inputs.begin(), graph.inputs.end(), node);
    return static_cast<size_t>(found - graph.inputs.begin());
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphSpec::Node& node = graph.nodes[i];
    if (node.child < 0) {
      if (!shows_inputs) continue;
      shown[i].box = add_box(graph, node, node.input_name, frame);
      ends.inputs[input_number(static_cast<int>(i))].push_back(shown[i].box);
      continue;
    }
    shown[i] = show(state, node, frame);
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      std::vector<int> targets = {shown[i].box};
      if (shown[i].inside != nullptr)
        targets = GraphSpec::output_of(shown[i].inside->inputs, static_cast<int>(k), "");
      const int from = source_of(shown, node.inputs[k]);
      const bool is_hidden =
          from < 0 && graph.nodes[static_cast<size_t>(node.inputs[k].first)].child < 0;
      for (const int to : targets) {
        add_line(from, to);
        if (is_hidden) ends.inputs[input_number(node.inputs[k].first)].push_back(to);
      }
    }
  }
  for (const GraphSpec::Port& port : graph.outputs) ends.outputs.push_back(source_of(shown, port));
  return ends;
}

}  // namespace

Diagram diagram_of(const Network& network, bool expand_nested) {
  DiagramMaker maker(expand_nested);
  maker.add(*network.state(), -1);
  return maker.take();
}

}  // namespace plotting
}  // namespace systolic::inline v0
