#include "systolic/train/weights/layer_order.h"

#include <algorithm>
#include <numeric>

namespace systolic::inline v0 {
namespace saving {
namespace {

// Nodes of one layer are one place; each input is a place of its own.
class KerasOrder {
 public:
  explicit KerasOrder(const GraphSpec& graph) : graph_(graph), finished_(graph.nodes.size()) {
    place_of_layer_.assign(graph.layers.size(), -1);
    for (size_t i = 0; i < graph.nodes.size(); ++i) add_node(static_cast<int>(i));
    found_at_.assign(places_.size(), -1);
    depths_.assign(places_.size(), 0);
  }

  std::vector<OrderedLayer> order() {
    for (const auto& [node, output] : graph_.outputs) walk(node);
    find_depths();
    std::vector<size_t> by_depth(places_.size());
    std::iota(by_depth.begin(), by_depth.end(), size_t{0});
    std::stable_sort(by_depth.begin(), by_depth.end(), [&](size_t a, size_t b) {
      return depths_[a] != depths_[b] ? depths_[a] > depths_[b] : found_at_[a] < found_at_[b];
    });
    std::vector<OrderedLayer> result;
    for (const size_t place : by_depth) result.push_back(places_[place]);
    return result;
  }

 private:
  void add_node(int number) {
    const int child = graph_.nodes[static_cast<size_t>(number)].child;
    int place = child < 0 ? -1 : place_of_layer_[static_cast<size_t>(child)];
    if (place < 0) {
      place = static_cast<int>(places_.size());
      places_.push_back({.child = child, .nodes = {}});
      if (child >= 0) place_of_layer_[static_cast<size_t>(child)] = place;
    }
    places_[static_cast<size_t>(place)].nodes.push_back(number);
    place_of_node_.push_back(static_cast<size_t>(place));
  }

  // Depth first, by a stack of its own: a network may be deep.
  void walk(int output) {
    std::vector<std::pair<int, size_t>> open;  // a node, and how many of its inputs were walked
    const auto enter = [&](int node) {
      if (finished_[static_cast<size_t>(node)]) return;
      int& found = found_at_[place_of_node_[static_cast<size_t>(node)]];
      if (found < 0) found = found_++;
      open.emplace_back(node, 0);
    };
    enter(output);
    while (!open.empty()) {
      const int node = open.back().first;
      const auto& inputs = graph_.nodes[static_cast<size_t>(node)].inputs;
      const size_t next = open.back().second++;
      if (next < inputs.size()) {
        enter(inputs[next].first);
        continue;
      }
      open.pop_back();
      if (!finished_[static_cast<size_t>(node)]) in_order_.push_back(node);
      finished_[static_cast<size_t>(node)] = true;
    }
  }

  // A layer is one farther from the outputs than the farthest that takes what it gives.
  void find_depths() {
    std::vector<int> of_nodes(graph_.nodes.size());
    for (auto node = in_order_.rbegin(); node != in_order_.rend(); ++node) {
      const auto number = static_cast<size_t>(*node);
      int& of_place = depths_[place_of_node_[number]];
      of_place = std::max(of_place, of_nodes[number]);
      for (const auto& [input, output] : graph_.nodes[number].inputs) {
        int& depth = of_nodes[static_cast<size_t>(input)];
        depth = std::max(depth, of_place + 1);
      }
    }
  }

  const GraphSpec& graph_;
  std::vector<OrderedLayer> places_;
  std::vector<int> place_of_layer_;
  std::vector<size_t> place_of_node_;
  std::vector<int> found_at_, depths_, in_order_;
  std::vector<bool> finished_;
  int found_ = 0;
};

// Keras counts what makes masks among its operations, which moves layers away from the outputs; the
// graph does not know them. A file does.
std::vector<OrderedLayer> as_listed(const GraphSpec& graph, std::vector<OrderedLayer> layers) {
  const std::vector<std::string>& names = graph.listed_names;
  const auto place_of = [&](const OrderedLayer& one) {
    const std::string& name = one.child < 0
                                  ? graph.nodes[static_cast<size_t>(one.nodes.front())].input_name
                                  : graph.layer_names[static_cast<size_t>(one.child)];
    return std::find(names.begin(), names.end(), name);
  };
  std::stable_sort(layers.begin(), layers.end(),
                   [&](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  return layers;
}

}  // namespace

bool is_chain(const GraphSpec& graph) {
  if (graph.kind() != "Sequential" || graph.nodes.size() != graph.layers.size() + 1) return false;
  for (size_t i = 1; i < graph.nodes.size(); ++i) {
    const GraphSpec::Node& node = graph.nodes[i];
    const std::vector<GraphSpec::Port> before{{static_cast<int>(i) - 1, 0}};
    if (node.child != static_cast<int>(i) - 1 || node.inputs != before) return false;
  }
  return true;
}

std::vector<OrderedLayer> layers_in_keras_order(const GraphSpec& graph) {
  if (!is_chain(graph)) return as_listed(graph, KerasOrder(graph).order());
  std::vector<OrderedLayer> layers;
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    layers.push_back({.child = static_cast<int>(i), .nodes = {static_cast<int>(i) + 1}});
  }
  return layers;
}

}  // namespace saving
}  // namespace systolic::inline v0
