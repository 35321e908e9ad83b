#include "systolic/nn/network/graph_builder.h"

#include <algorithm>
#include <map>

#include "systolic/base/error.h"
#include "systolic/nn/symbol_node.h"

namespace systolic::inline v0 {
namespace {

// All nodes that the outputs need, inputs before users.
std::vector<std::shared_ptr<SymbolNode>> needed_nodes(const std::vector<Symbol>& outputs) {
  std::vector<std::shared_ptr<SymbolNode>> nodes, waiting;
  std::vector<const SymbolNode*> seen;
  for (const Symbol& output : outputs) waiting.push_back(output.node());
  while (!waiting.empty()) {
    const std::shared_ptr<SymbolNode> node = waiting.back();
    waiting.pop_back();
    const auto at = std::lower_bound(seen.begin(), seen.end(), node.get());
    if (at != seen.end() && *at == node.get()) continue;
    seen.insert(at, node.get());
    nodes.push_back(node);
    for (const Symbol& symbol : node->inputs) waiting.push_back(symbol.node());
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a->number < b->number; });
  return nodes;
}

void check_input(const Symbol& symbol, SourceLocation location) {
  if (!symbol.node()->layer) return;
  raise<InvalidArgument>({.what = str("an input of the network is the output of a ",
                                      symbol.node()->layer->kind(), " layer"),
                          .wanted = "symbols made by input(...)",
                          .location = location});
}

[[noreturn]] void raise_unnamed_input(const SymbolNode& node, SourceLocation location) {
  raise<InvalidArgument>(
      {.what = str("the outputs need the input ",
                   node.input_name.empty() ? "" : str("'", node.input_name, "' "), "made at ",
                   node.location.file, ":", node.location.line,
                   ", which is not among the inputs of the network"),
       .hint = "name it in Network({inputs...}, {outputs...})",
       .location = location});
}

class GraphBuilder {
 public:
  GraphBuilder(GraphSpec& graph, SourceLocation location) : graph_(graph), location_(location) {}

  void build(const std::vector<Symbol>& inputs, const std::vector<Symbol>& outputs) {
    for (const Symbol& symbol : inputs) {
      check_input(symbol, location_);
      graph_.inputs.push_back(add_input(*symbol.node()));
    }
    for (const auto& node : needed_nodes(outputs)) add(*node);
    for (const Symbol& symbol : outputs) graph_.outputs.push_back(port_of(symbol));
  }

 private:
  int add_input(const SymbolNode& node) {
    const int count = static_cast<int>(graph_.inputs.size());
    std::string name = node.input_name;
    if (name.empty()) name = count == 0 ? "input_layer" : str("input_layer_", count);
    for (const GraphSpec::Node& other : graph_.nodes) {
      if (other.input_name != name) continue;
      raise<InvalidArgument>({.what = str("two inputs of the network have the name '", name, "'"),
                              .hint = "data is found by these names: give each its own",
                              .location = location_});
    }
    return push(node, {.child = -1,
                       .input_name = name,
                       .inputs = {},
                       .types = node.outputs,
                       .rules = node.rules});
  }
  void add(const SymbolNode& node) {
    if (position(node) >= 0) return;
    if (!node.layer) raise_unnamed_input(node, location_);
    GraphSpec::Node made;
    made.child = child_of(*node.layer);
    for (const Symbol& symbol : node.inputs) made.inputs.push_back(port_of(symbol));
    made.types = node.outputs;
    push(node, std::move(made));
  }
  int child_of(const Layer& layer) {
    auto& layers = graph_.layers;
    const auto found = std::find(layers.begin(), layers.end(), layer);
    if (found != layers.end()) return static_cast<int>(found - layers.begin());
    layers.push_back(layer);
    return static_cast<int>(layers.size()) - 1;
  }
  int push(const SymbolNode& node, GraphSpec::Node made) {
    graph_.nodes.push_back(std::move(made));
    numbers_[&node] = static_cast<int>(graph_.nodes.size()) - 1;
    return numbers_[&node];
  }
  int position(const SymbolNode& node) const {
    const auto found = numbers_.find(&node);
    return found == numbers_.end() ? -1 : found->second;
  }
  GraphSpec::Port port_of(const Symbol& symbol) const {
    return {position(*symbol.node()), symbol.output()};
  }

  GraphSpec& graph_;
  SourceLocation location_;
  std::map<const SymbolNode*, int> numbers_;
};

}  // namespace

std::unique_ptr<GraphSpec> graph_between(const std::vector<Symbol>& inputs,
                                         const std::vector<Symbol>& outputs, std::string kind,
                                         std::string name, SourceLocation location) {
  if (outputs.empty()) {
    raise<InvalidArgument>({.what = "a network without outputs", .location = location});
  }
  auto graph = std::make_unique<GraphSpec>(std::move(kind), std::move(name), location);
  GraphBuilder(*graph, location).build(inputs, outputs);
  return graph;
}

std::unique_ptr<GraphSpec> chain_of(const std::vector<Layer>& layers, std::string name,
                                    SourceLocation location) {
  auto graph = std::make_unique<GraphSpec>("Sequential", std::move(name), location);
  graph->nodes.push_back({.child = -1, .input_name = "input_layer", .inputs = {}, .types = {}});
  graph->inputs = {0};
  for (const Layer& layer : layers) {
    const auto found = std::find(graph->layers.begin(), graph->layers.end(), layer);
    const int child = static_cast<int>(found - graph->layers.begin());
    if (found == graph->layers.end()) graph->layers.push_back(layer);
    const int before = static_cast<int>(graph->nodes.size()) - 1;
    graph->nodes.push_back(
        {.child = child, .input_name = {}, .inputs = {{before, 0}}, .types = {}});
  }
  graph->outputs = {{static_cast<int>(graph->nodes.size()) - 1, 0}};
  return graph;
}

}  // namespace systolic::inline v0
