// Networks as configurations:
//   {"class_name": "Functional", "config": {"name": ..., "layers": [{"name", "class_name",
//    "config"}], "nodes": [{"input": ..., "dtype", "shape"} or {"layer": number, "inputs": [[node,
//    output], ...]}], "inputs": [node, ...], "outputs": [[node, output], ...]}}
#include "systolic/base/error.h"
#include "systolic/nn/network/graph_spec.h"

namespace systolic::inline v0 {
namespace {

Config ports_config(const std::vector<GraphSpec::Port>& ports) {
  Config::List list;
  for (const auto& [node, output] : ports) list.push_back(Config::List{node, output});
  return list;
}

Config node_config(const GraphSpec::Node& node) {
  Config config;
  if (node.child >= 0) {
    config.set("layer", node.child);
    config.set("inputs", ports_config(node.inputs));
    return config;
  }
  config.set("input", node.input_name);
  if (node.types.empty()) return config;
  config.set("dtype", to_config(node.types.front().dtype));
  config.set("shape", to_config(node.types.front().shape));
  if (node.rules.default_value) config.set("default_value", *node.rules.default_value);
  if (node.rules.values_below) config.set("values_below", *node.rules.values_below);
  if (node.rules.masks) config.set("masks", *node.rules.masks);
  if (!node.rules.normalized_by.empty()) config.set("normalized_by", node.rules.normalized_by);
  return config;
}

[[noreturn]] void raise_broken(const std::string& what, SourceLocation location) {
  raise<InvalidArgument>(
      {.what = str("the configuration of a network is damaged: ", what), .location = location});
}

int checked_number(const Config& config, size_t count, SourceLocation location) {
  const int64_t number = config.integer();
  if (number < 0 || number >= static_cast<int64_t>(count)) {
    raise_broken(str("number ", number, " of ", count), location);
  }
  return static_cast<int>(number);
}

// Only earlier nodes: so there is no cycle.
std::vector<GraphSpec::Port> ports_from(const Config& config, size_t nodes,
                                        SourceLocation location) {
  std::vector<GraphSpec::Port> ports;
  for (const Config& item : config.list()) {
    const Config::List& pair = pair_of(item);
    const int output = checked_number(pair[1], 1'000'000, location);
    ports.emplace_back(checked_number(pair[0], nodes, location), output);
  }
  return ports;
}

GraphSpec::Node node_from(const Config& config, const GraphSpec& graph, SourceLocation location) {
  GraphSpec::Node node;
  if (const Config* layer = config.find("layer")) {
    node.child = checked_number(*layer, graph.layers.size(), location);
    node.inputs = ports_from(config["inputs"], graph.nodes.size(), location);
    return node;
  }
  node.input_name = config["input"].text_value();
  if (config.find("shape") == nullptr) return node;
  SymbolType type;
  from_config(config["dtype"], type.dtype);
  from_config(config["shape"], type.shape);
  node.types = {type};
  if (const Config* value = config.find("default_value"))
    node.rules.default_value = value->number();
  if (const Config* value = config.find("values_below")) node.rules.values_below = value->integer();
  if (const Config* value = config.find("masks")) node.rules.masks = value->integer();
  if (const Config* value = config.find("normalized_by"))
    node.rules.normalized_by = value->text_value();
  return node;
}

}  // namespace

Config GraphSpec::config() const {
  Config::List layer_list, node_list, input_list;
  for (size_t i = 0; i < layers.size(); ++i) {
    Config layer = layers[i].get_config();
    layer.set("name", layer_names[i]);
    layer_list.push_back(std::move(layer));
  }
  for (const Node& node : nodes) node_list.push_back(node_config(node));
  for (const int number : inputs) input_list.push_back(number);
  Config values, result;
  values.set("name", name_);
  values.set("layers", std::move(layer_list));
  values.set("nodes", std::move(node_list));
  values.set("inputs", std::move(input_list));
  values.set("outputs", ports_config(outputs));
  result.set("class_name", kind_);
  result.set("config", std::move(values));
  return result;
}

std::unique_ptr<GraphSpec> graph_from_config(const Config& config, SourceLocation location) {
  const Config& values = config["config"];
  auto graph = std::make_unique<GraphSpec>(config["class_name"].text_value(),
                                           values["name"].text_value(), location);
  for (const Config& layer : values["layers"].list()) {
    graph->layers.push_back(layer_from_config(layer, location));
    graph->layer_names.push_back(layer["name"].text_value());
  }
  for (const Config& node : values["nodes"].list()) {
    graph->nodes.push_back(node_from(node, *graph, location));
  }
  for (const Config& input : values["inputs"].list()) {
    const int number = checked_number(input, graph->nodes.size(), location);
    if (graph->nodes[static_cast<size_t>(number)].child >= 0)
      raise_broken("an input that is a layer", location);
    graph->inputs.push_back(number);
  }
  graph->outputs = ports_from(values["outputs"], graph->nodes.size(), location);
  if (graph->outputs.empty()) raise_broken("no outputs", location);
  return graph;
}

}  // namespace systolic::inline v0
