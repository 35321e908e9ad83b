#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/network/layer_kinds.h"
#include "systolic/saving/keras/keras_values.h"
#include "systolic/saving/keras/network_config.h"
#include "systolic/train/weights/layer_order.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

Config keras_shape(const Shape& shape) {
  Config::List sizes;
  for (const int64_t size : shape) sizes.push_back(size < 0 ? Config() : Config(size));
  return sizes;
}

std::string dtype_name(DType dtype) { return to_config(dtype).text_value(); }

class NetworkWriter {
 public:
  explicit NetworkWriter(std::vector<std::string>& problems) : problems_(problems) {}

  Config network(const LayerState& state, const std::string& name) {
    const auto& graph = static_cast<const GraphSpec&>(*state.spec);
    Config values;
    values.set("name", name);
    values.set("trainable", state.trainable);
    const bool chain = is_chain(graph);
    chain ? add_chain(state, graph, values) : add_graph(state, graph, values);
    Config result = keras_object(chain ? "keras" : "keras.src.models.functional",
                                 chain ? "Sequential" : "Functional", std::move(values));
    return result;
  }

  // A chain of one layer, which need not be able to run.
  Config chain_of(const Layer& one, const std::string& name, DType input) {
    Config values, input_values;
    input_values.set("batch_shape", keras_shape({-1, 1}));
    input_values.set("dtype", dtype_name(input));
    input_values.set("name", "input_layer");
    const Config entry = keras_object("keras.layers", "InputLayer", std::move(input_values));
    values.set("name", "sequential");
    values.set("trainable", true);
    values.set("layers", Config::List{entry, layer({name, one, one.state()})});
    values.set("build_input_shape", keras_shape({-1, 1}));
    return keras_object("keras", "Sequential", std::move(values));
  }

 private:
  void add_chain(const LayerState& state, const GraphSpec& graph, Config& values) {
    Config::List layers;
    const GraphSpec::Node& input = graph.nodes.front();
    if (!input.types.empty()) {
      layers.push_back(input_layer(input));
      values.set("build_input_shape", keras_shape(input.types.front().shape));
    }
    for (const LayerState::Child& child : state.children) layers.push_back(layer(child));
    values.set("layers", std::move(layers));
  }

  void add_graph(const LayerState& state, const GraphSpec& graph, Config& values) {
    const std::vector<OrderedLayer> order = layers_in_keras_order(graph);
    places_of_nodes(state, graph, order);
    Config::List layers;
    for (const OrderedLayer& one : order) {
      if (one.child < 0) {
        Config entry = input_layer(graph.nodes[static_cast<size_t>(one.nodes.front())]);
        entry.set("inbound_nodes", Config::List{});
        layers.push_back(std::move(entry));
        continue;
      }
      const LayerState::Child& child = state.children[static_cast<size_t>(one.child)];
      Config entry = layer(child);
      Config::List calls;
      for (const int node : one.nodes) calls.push_back(call(graph, node, child));
      entry.set("inbound_nodes", std::move(calls));
      layers.push_back(std::move(entry));
    }
    values.set("layers", std::move(layers));
    Config::List inputs, outputs;
    for (const int node : graph.inputs) inputs.push_back(place({node, 0}));
    for (const GraphSpec::Port& port : graph.outputs) {
      // Here, and here alone, calls of a functional model inside are counted from 1.
      const int child = graph.nodes[static_cast<size_t>(port.first)].child;
      const bool from_1 = child >= 0 && is_functional(state.children[static_cast<size_t>(child)]);
      outputs.push_back(place(port, from_1 ? 1 : 0));
    }
    values.set("input_layers", inputs.size() == 1 ? inputs.front() : Config(inputs));
    values.set("output_layers", outputs.size() == 1 ? outputs.front() : Config(outputs));
  }

  // By which layer, and by which of its calls, a node is known.
  void places_of_nodes(const LayerState& state, const GraphSpec& graph,
                       const std::vector<OrderedLayer>& order) {
    places_.assign(graph.nodes.size(), {});
    for (const OrderedLayer& one : order) {
      int call = 0;
      for (const int node : one.nodes) {
        const auto number = static_cast<size_t>(node);
        const std::string& name = one.child < 0
                                      ? graph.nodes[number].input_name
                                      : state.children[static_cast<size_t>(one.child)].name;
        places_[number] = {name, call++};
      }
    }
  }
  static bool is_functional(const LayerState::Child& child) {
    const AnySpec& spec = *child.layer.state()->spec;
    return spec.is_network() && !is_chain(static_cast<const GraphSpec&>(spec));
  }

  Config place(const GraphSpec::Port& port, int first_call = 0) const {
    const auto& [name, call] = places_[static_cast<size_t>(port.first)];
    return Config::List{name, call + first_call, port.second};
  }

  Config tensor(const GraphSpec& graph, const GraphSpec::Port& port) const {
    const GraphSpec::Node& node = graph.nodes[static_cast<size_t>(port.first)];
    const SymbolType& type = node.types.at(static_cast<size_t>(port.second));
    Config values, result;
    values.set("shape", keras_shape(type.shape));
    values.set("dtype", dtype_name(type.dtype));
    values.set("keras_history", place(port));
    result.set("class_name", "__keras_tensor__");
    result.set("config", std::move(values));
    return result;
  }

  Config call(const GraphSpec& graph, int number, const LayerState::Child& child) const {
    Config::List tensors;
    for (const GraphSpec::Port& port : graph.nodes[static_cast<size_t>(number)].inputs)
      tensors.push_back(tensor(graph, port));
    const KerasForm form = form_of(*child.layer.state()->spec);
    const bool as_list = form.inputs.empty() && tensors.size() != 1;
    Config kwargs{Config::Map{}}, result;
    if (!form.call_fields.empty()) {
      const Config fields = child.layer.get_config()["config"];
      for (const std::string& field : form.call_fields) kwargs.set(field, fields[field]);
    }
    result.set("args", as_list ? Config::List{tensors} : tensors);
    result.set("kwargs", std::move(kwargs));
    return result;
  }
  static Config input_layer(const GraphSpec::Node& input) {
    Config values;
    values.set("batch_shape", keras_shape(input.types.front().shape));
    values.set("dtype", dtype_name(input.types.front().dtype));
    values.set("sparse", false);
    values.set("name", input.input_name);
    Config result = keras_object("keras.layers", "InputLayer", std::move(values));
    result.set("name", input.input_name);
    return result;
  }

  static KerasForm form_of(const AnySpec& spec) {
    return !spec.is_network() && is_layer_kind(spec.kind()) ? layer_kind(spec.kind()).keras
                                                            : KerasForm{};
  }

  Config layer(const LayerState::Child& child) {
    const LayerState& state = *child.layer.state();
    if (state.spec->is_network()) {
      NetworkWriter inside(problems_);
      Config result = inside.network(state, child.name);
      result.set("name", child.name);
      return result;
    }
    try {
      Config result = plain_layer(child.layer.get_config(), child.name, state);
      result.set("name", child.name);
      return result;
    } catch (const Error& error) {
      problems_.push_back(str(child.name, ": ", error.report().what));
      return {};
    }
  }

  Config plain_layer(const Config& ours, const std::string& name, const LayerState& state) {
    const std::string& kind = ours["class_name"].text_value();
    if (!is_layer_kind(kind)) {
      raise<Unimplemented>({.what = str("the kind ", kind,
                                        " is not registered, so that no program could read it "
                                        "(register_layer<",
                                        kind, ">())")});
    }
    const KerasForm form = layer_kind(kind).keras;
    Config values;
    values.set("name", name);
    if (!form.is_bare) values.set("trainable", state.trainable);
    const std::string policy = state.policy.name();
    const auto inner = [&](const Config& one) {
      const std::string& own = one["config"]["name"].text_value();
      return plain_layer(one, own.empty() ? snake_case(one["class_name"].text_value()) : own,
                         state);
    };
    for (const auto& [field, value] : ours["config"].map()) {
      if (field == "name" || contains(form.call_fields, field)) continue;
      if (form.is_bare && field == "dtype") continue;
      if (field == "dtype") {
        const std::string& own = value.is_text() ? value.text_value() : std::string();
        values.set("dtype", dtype_policy(own.empty() ? policy : own));
        continue;
      }
      std::string entry = field;
      for (const auto& [ours_name, keras_name] : form.renamed) {
        if (ours_name == field) entry = keras_name;
      }
      values.set(entry, to_keras_value(field, value, inner));
    }
    if (form.is_of_keras) return keras_object("keras.layers", kind, std::move(values));
    Config result;
    result.set("module", "systolic.layers");
    result.set("class_name", kind);
    result.set("config", std::move(values));
    result.set("registered_name", str("systolic>", kind));
    return result;
  }
  static Config dtype_policy(const std::string& name) {
    Config values;
    values.set("name", name.empty() ? "float32" : name);
    return keras_object("keras", "DTypePolicy", std::move(values));
  }
  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  std::vector<std::string>& problems_;
  std::vector<std::pair<std::string, int>> places_;
};

void check_names(const LayerState& state, std::vector<std::string>& problems) {
  const auto& graph = static_cast<const GraphSpec&>(*state.spec);
  for (const GraphSpec::Node& node : graph.nodes) {
    if (node.child >= 0) continue;
    for (const LayerState::Child& child : state.children) {
      if (child.name == node.input_name)
        problems.push_back(str("'", child.name, "' is the name of an input and of a layer"));
    }
  }
}

}  // namespace

Config network_to_keras(const Network& network, std::vector<std::string>& problems) {
  check_names(*network.state(), problems);
  return NetworkWriter(problems).network(*network.state(), network.name());
}

Config chain_of_layer(const Layer& layer, const std::string& name, DType input,
                      std::vector<std::string>& problems) {
  return NetworkWriter(problems).chain_of(layer, name, input);
}

}  // namespace saving
}  // namespace systolic::inline v0
