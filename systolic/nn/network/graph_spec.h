// The spec of a network: which layer's outputs go where. Internal to nn.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/nn/layer_state.h"
#include "systolic/nn/symbol.h"

namespace systolic::inline v0 {

class GraphSpec : public AnySpec {
 public:
  using Port = std::pair<int, int>;  // node and output

  struct Node {
    int child = -1;          // among the network's children; -1: an input
    std::string input_name;  // of an input
    std::vector<Port> inputs;
    std::vector<SymbolType> types;  // of the outputs; empty while unknown
    InputRules rules = {};          // of an input
  };

  GraphSpec(std::string kind, std::string name, SourceLocation location)
      : kind_(std::move(kind)), name_(std::move(name)), location_(location) {}

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, CallContext& context) const override;
  std::string kind() const override { return kind_; }
  std::string name() const override { return name_; }
  SourceLocation location() const override { return {}; }
  bool casts_inputs() const override { return false; }
  bool is_network() const override { return true; }
  Config config() const override;
  std::unique_ptr<AnySpec> clone() const override { return std::make_unique<GraphSpec>(*this); }

  // Inputs and outputs as far as they are inputs of the outermost network, moved at most.
  using Seen = std::vector<std::optional<SeenInput>>;
  // Adds what layers declare to look up of `xs`. No layer is called.
  Seen look_up(const Seen& xs, std::vector<SeenLookup>& found) const;

  // Output `output` of the node called `name`. A configuration may ask for one that there is not.
  template <class T>
  static const T& output_of(const std::vector<T>& outputs, int output, std::string_view name) {
    if (static_cast<size_t>(output) >= outputs.size())
      raise_no_output(outputs.size(), output, name);
    return outputs[static_cast<size_t>(output)];
  }

  // The user's line.
  SourceLocation made_at() const { return location_; }
  bool built() const { return nodes.empty() || !nodes.back().types.empty(); }

  // In an order in which inputs come before their users. Types are filled in by the first call
  // where they are not known from symbols.
  mutable std::vector<Node> nodes;
  std::vector<int> inputs;
  std::vector<Port> outputs;
  std::vector<Layer> layers;             // what the nodes call, by number of the child
  std::vector<std::string> layer_names;  // likewise
  // The names of layers and inputs as the file lists them that the network is from: names of
  // weights count on that order. Empty where the graph says it.
  std::vector<std::string> listed_names;

 private:
  [[noreturn]] static void raise_no_output(size_t outputs, int output, std::string_view name);
  const std::string& name_of(const Node& node) const;
  void check_input(const Node& node, const Shape& shape) const;
  Tensor checked_input(const Node& node, const Tensor& x) const;
  void check_optional(const Node& node, const Tensor& x, const Tensor& first) const;
  // `xs`, and defaults for inputs after them.
  std::vector<Tensor> all_inputs(const std::vector<Tensor>& xs, bool infers_shapes) const;

  std::string kind_, name_;
  SourceLocation location_;
};

// From {"class_name": "Functional" or "Sequential", "config": ...}.
std::unique_ptr<GraphSpec> graph_from_config(const Config& config, SourceLocation location);

// A state whose children are the graph's layers.
std::shared_ptr<LayerState> state_of_graph(std::unique_ptr<GraphSpec> graph);

}  // namespace systolic::inline v0
