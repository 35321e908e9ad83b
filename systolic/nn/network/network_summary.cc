// The parts of Network that describe it.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/network/graph_spec.h"
#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {
namespace {

int64_t parameter_count(const Layer& layer) {
  int64_t count = 0;
  for (const Variable& variable : layer.weights()) count += variable.size();
  return count;
}

// "conv2d[0][0]": the layer, which of its calls, which output.
std::string port_text(const GraphSpec& graph, const GraphSpec::Port& port) {
  const GraphSpec::Node& node = graph.nodes[static_cast<size_t>(port.first)];
  if (node.child < 0) return str(node.input_name, "[0][", port.second, "]");
  int call = 0;
  for (int i = 0; i < port.first; ++i) {
    if (graph.nodes[static_cast<size_t>(i)].child == node.child) ++call;
  }
  return str(graph.layer_names[static_cast<size_t>(node.child)], "[", call, "][", port.second, "]");
}

std::vector<SummaryRow> rows_of_graph(const LayerState& state) {
  const auto& graph = static_cast<const GraphSpec&>(*state.spec);
  std::vector<SummaryRow> rows;
  std::vector<int> shown;
  for (const GraphSpec::Node& node : graph.nodes) {
    SummaryRow row;
    if (node.child < 0) {
      // Keras shows inputs of functional models only.
      if (graph.kind() == "Sequential") continue;
      row.name = node.input_name;
      row.kind = "InputLayer";
    } else {
      if (std::find(shown.begin(), shown.end(), node.child) != shown.end()) continue;
      shown.push_back(node.child);
      const LayerState::Child& child = state.children[static_cast<size_t>(node.child)];
      row.name = child.name;
      row.kind = child.layer.kind();
      row.parameters = parameter_count(child.layer);
      row.trainable = child.layer.trainable();
      if (child.layer.state()->spec->is_network()) row.inside = rows_of_graph(*child.layer.state());
    }
    for (const SymbolType& type : node.types) row.output_shapes.push_back(type.shape);
    for (const GraphSpec::Port& port : node.inputs)
      row.connected_to.push_back(port_text(graph, port));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<SummaryRow> Network::summary_rows() const { return rows_of_graph(*state_); }

Config Network::get_config() const { return state_->spec->config(); }

Network Network::from_config(const Config& config, SourceLocation location) {
  return Network(state_of_graph(graph_from_config(config, location)));
}

}  // namespace systolic::inline v0
