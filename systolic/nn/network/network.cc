#include "systolic/nn/network/network.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/infer_types.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/network/graph_builder.h"
#include "systolic/trace/trace.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace {

const GraphSpec& graph_of(const LayerState& state) {
  return static_cast<const GraphSpec&>(*state.spec);
}

const Input* as_input(const Layer& layer) {
  const auto* holder = dynamic_cast<const internal::SpecHolder<Input>*>(layer.state()->spec.get());
  return holder == nullptr ? nullptr : &holder->spec();
}

void collect(const LayerState& state, const std::string& path, std::vector<NamedVariable>& result) {
  const auto below = [&](const std::string& name) {
    return path.empty() ? name : str(path, "/", name);
  };
  const auto add = [&](const std::string& name, const Variable& variable) {
    const bool known = std::any_of(result.begin(), result.end(), [&](const NamedVariable& one) {
      return one.variable == variable;
    });
    if (!known) result.push_back({below(name), variable});
  };
  for (const LayerState::Weight& weight : state.weights) add(weight.name, weight.variable);
  for (const LayerState::Child& child : state.children) {
    collect(*child.layer.state(), below(child.name), result);
  }
}

// Variables made before the network was (by symbols) learn their paths.
void name_variables(const LayerState& state) {
  std::vector<NamedVariable> named;
  collect(state, "", named);
  for (const NamedVariable& one : named) one.variable.state()->options.name = one.path;
}

}  // namespace

Network::Network(const Symbol& input, const Symbol& output, NetworkOptions options,
                 SourceLocation location)
    : Network(std::vector<Symbol>{input}, std::vector<Symbol>{output}, std::move(options),
              location) {}

Network::Network(const std::vector<Symbol>& inputs, const std::vector<Symbol>& outputs,
                 NetworkOptions options, SourceLocation location)
    : state_(state_of_graph(
          graph_between(inputs, outputs, "Functional", std::move(options.name), location))) {
  name_variables(*state_);
}

Network::Network(const std::vector<Symbol>& inputs, const Symbol& output, NetworkOptions options,
                 SourceLocation location)
    : Network(inputs, std::vector<Symbol>{output}, std::move(options), location) {}

Network::Network(const Symbol& input, const std::vector<Symbol>& outputs, NetworkOptions options,
                 SourceLocation location)
    : Network(std::vector<Symbol>{input}, outputs, std::move(options), location) {}

Network::Network(const std::vector<Layer>& layers, NetworkOptions options,
                 SourceLocation location) {
  const Input* first = layers.empty() ? nullptr : as_input(layers.front());
  const size_t skipped = first == nullptr ? 0 : 1;
  for (size_t i = 1; i < layers.size(); ++i) {
    if (as_input(layers[i]) == nullptr) continue;
    raise<InvalidArgument>({.what = str("Sequential has an Input as layer ", i),
                            .wanted = "one as layer 0, or none",
                            .location = layers[i].location()});
  }
  if (layers.size() == skipped) {
    raise<InvalidArgument>({.what = "Sequential without layers", .location = location});
  }
  if (first == nullptr) {
    state_ = state_of_graph(chain_of(layers, std::move(options.name), location));
    return;
  }
  const Symbol in = input({.shape = first->shape.get(),
                           .dtype = first->dtype,
                           .name = first->name,
                           .batch_size = first->batch_size},
                          first->location);
  Symbol x = in;
  for (size_t i = 1; i < layers.size(); ++i) {
    const SourceLocation written = layers[i].location();
    x = layers[i](x, written.known() ? written : location);
  }
  state_ =
      state_of_graph(graph_between({in}, {x}, "Sequential", std::move(options.name), location));
  name_variables(*state_);
}

std::vector<Tensor> Network::outputs(const std::vector<Tensor>& xs, CallOptions options) const {
  return call_root(Layer(state_), xs, options);
}
Tensor Network::operator()(const std::vector<Tensor>& xs, CallOptions options) const {
  return Layer(state_)(xs, std::move(options));
}
Tensor Network::operator()(const Tensor& x, CallOptions options) const {
  return (*this)(std::vector<Tensor>{x}, std::move(options));
}
Symbol Network::operator()(const Symbol& x, SourceLocation location) const {
  return Layer(state_)(x, location);
}
Symbol Network::operator()(const std::vector<Symbol>& xs, SourceLocation location) const {
  return Layer(state_)(xs, location);
}
Tensor Network::operator()(const Tensor& x, CallContext& context) const {
  return Layer(state_)(x, context);
}

const std::string& Network::name() const {
  static const std::string sequential = "sequential", functional_name = "functional";
  if (!state_->name.empty()) return state_->name;
  return state_->spec->kind() == "Sequential" ? sequential : functional_name;
}

std::vector<Layer> Network::layers() const {
  std::vector<Layer> result;
  for (const LayerState::Child& child : state_->children) result.push_back(child.layer);
  return result;
}

Layer Network::layer(std::string_view name, SourceLocation location) const {
  const LayerState* state = state_.get();
  const std::vector<std::string> parts =
      name.empty() ? std::vector<std::string>{""} : split(name, '/');
  std::string above;          // the layers that it was found in, each with a slash
  for (size_t i = 0;; ++i) {  // a name has one part at least
    std::vector<std::string> known;
    const LayerState::Child* found = nullptr;
    for (const LayerState::Child& child : state->children) {
      known.push_back(child.name);
      if (child.name == parts[i]) found = &child;
    }
    if (found == nullptr) {
      const std::vector<std::string> closest = closest_names(parts[i], known);
      raise<NotFound>(
          {.what = str("no layer '", name, "' in network '", this->name(), "'"),
           .got = str("the layers", above.empty() ? "" : str(" below '", above, "'"), ": ",
                      join(known, " ")),
           .hint = closest.empty() ? "" : str("did you mean '", above, closest.front(), "'"),
           .location = location});
    }
    if (i + 1 == parts.size()) return found->layer;
    above += parts[i] + "/";
    state = found->layer.state().get();
  }
}

std::string Network::name_of(const Layer& layer) const {
  for (const LayerState::Child& child : state_->children) {
    if (child.layer == layer) return child.name;
  }
  return layer.name();
}

bool Network::built() const { return graph_of(*state_).built(); }

void Network::build(const std::vector<SymbolType>& inputs) const {
  if (built()) return;
  infer_types(Layer(state_), inputs);
}

std::vector<NetworkPort> Network::input_ports() const {
  const GraphSpec& graph = graph_of(*state_);
  std::vector<NetworkPort> ports;
  for (const int number : graph.inputs) {
    const GraphSpec::Node& node = graph.nodes[static_cast<size_t>(number)];
    const SymbolType type = node.types.empty() ? SymbolType{} : node.types.front();
    ports.push_back({node.input_name, type, node.rules});
  }
  return ports;
}

std::vector<NetworkPort> Network::output_ports() const {
  const GraphSpec& graph = graph_of(*state_);
  if (!graph.built()) {
    raise<FailedPrecondition>({.what = str("network '", name(), "' does not know its shapes yet"),
                               .hint = "put Input{.shape = {...}} in front, or call it once"});
  }
  std::vector<NetworkPort> ports;
  for (const auto& [number, output] : graph.outputs) {
    const GraphSpec::Node& node = graph.nodes[static_cast<size_t>(number)];
    const std::string name =
        node.child < 0 ? node.input_name : state_->children[static_cast<size_t>(node.child)].name;
    ports.push_back({name, GraphSpec::output_of(node.types, output, name)});
  }
  return ports;
}

std::vector<NamedVariable> Network::named_weights() const {
  std::vector<NamedVariable> result;
  collect(*state_, "", result);
  return result;
}

std::vector<Variable> Network::weights() const {
  std::vector<Variable> result;
  for (const NamedVariable& one : named_weights()) result.push_back(one.variable);
  return result;
}

namespace {

void collect_trainable(const LayerState& state, std::vector<Variable>& result) {
  for (const LayerState::Weight& weight : state.weights) {
    const bool known = std::find(result.begin(), result.end(), weight.variable) != result.end();
    if (state.trainable && weight.variable.trainable() && !known) result.push_back(weight.variable);
  }
  for (const LayerState::Child& child : state.children) {
    collect_trainable(*child.layer.state(), result);
  }
}

}  // namespace

std::vector<Variable> Network::trainable_variables() const {
  std::vector<Variable> result;
  collect_trainable(*state_, result);
  return result;
}

std::vector<Variable> Network::non_trainable_variables() const {
  const std::vector<Variable> trainable = trainable_variables();
  std::vector<Variable> result;
  for (const Variable& variable : weights()) {
    const bool known = std::find(trainable.begin(), trainable.end(), variable) != trainable.end();
    if (!known) result.push_back(variable);
  }
  return result;
}

namespace {

std::string batch_loss_below(const LayerState& state, const std::string& path, bool training) {
  if (training ? state.adds_batch_loss_in_training : state.adds_batch_loss) return path;
  for (const LayerState::Child& child : state.children) {
    const std::string below = path.empty() ? child.name : str(path, "/", child.name);
    std::string found = batch_loss_below(*child.layer.state(), below, training);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

namespace {

std::optional<LayerTraits> traits_of(const LayerState& state) {
  if (!state.spec->is_network()) return state.spec->traits();
  LayerTraits together;
  for (const LayerState::Child& child : state.children) {
    const std::optional<LayerTraits> one = traits_of(*child.layer.state());
    if (!one) return {};
    together.adds_batch_loss |= one->adds_batch_loss;
  }
  return together;
}

}  // namespace

std::optional<LayerTraits> Network::traits() const { return traits_of(*state_); }

namespace {

bool declares_lookups(const LayerState& state) {
  if (!state.spec->is_network()) {
    const std::optional<LayerTraits> traits = state.spec->traits();
    return traits && (!traits->moves_elements || state.spec->says_how_it_moves());
  }
  return std::ranges::all_of(state.children, [](const LayerState::Child& child) {
    return declares_lookups(*child.layer.state());
  });
}

}  // namespace

std::optional<std::vector<SeenLookup>> Network::lookups(
    const std::vector<SymbolType>& inputs) const {
  if (!declares_lookups(*state_)) return std::nullopt;
  GraphSpec::Seen xs;
  for (size_t i = 0; i < inputs.size(); ++i)
    xs.emplace_back(SeenInput{.input = i, .dtype = inputs[i].dtype, .shape = inputs[i].shape});
  std::vector<SeenLookup> found;
  graph_of(*state_).look_up(xs, found);
  return found;
}

std::string Network::batch_loss_layer(bool training) const {
  return batch_loss_below(*state_, "", training);
}

namespace {

void collect_metric_names(const LayerState& state, std::vector<std::string>& names) {
  for (const std::string& name : state.metric_names) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const LayerState::Child& child : state.children)
    collect_metric_names(*child.layer.state(), names);
}

}  // namespace

std::vector<std::string> Network::metric_names() const {
  std::vector<std::string> names;
  collect_metric_names(*state_, names);
  return names;
}

void Network::set_trainable(bool trainable) const { Layer(state_).set_trainable(trainable); }

Network Network::clone() const {
  // Values that are still to be computed belong to the copy too.
  if (Trace::current().kind() == Trace::Kind::implicit) Trace::implicit().flush();
  CloneMap done;
  return Network(clone_state(state_, done));
}

}  // namespace systolic::inline v0
