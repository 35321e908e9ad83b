#include "systolic/nn/network/graph_spec.h"

#include <algorithm>
#include <map>

#include "systolic/base/error.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace {

bool fits(const Shape& shape, const Shape& wanted) {
  if (shape.rank() != wanted.rank()) return false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (wanted[axis] >= 0 && shape[axis] != wanted[axis]) return false;
  }
  return true;
}

// The line at fault is that of the call, which this one helps to find.
std::string made_at_text(SourceLocation location) {
  if (!location.known()) return {};
  return str(", as the model made at ", location.file, ":", location.line, " takes");
}

// What a call showed: axes as long as the batch are taken for the batch when they stand first.
SymbolType seen_type(const Tensor& tensor, int64_t batch) {
  SymbolType type{tensor.dtype(), tensor.shape()};
  if (type.shape.rank() > 0 && type.shape[0] == batch) type.shape.set(0, -1);
  return type;
}

// What to do about an array of the wrong shape, where that shows why it is wrong.
std::string hint_for(const Shape& given, const Shape& wanted) {
  if (given.rank() + 1 == wanted.rank())
    return "the batch axis is missing: expand_dims(x, 0) adds one, data::expand_dims to "
           "an array in memory";
  const bool pictures = given.rank() == 4 && wanted.rank() == 4 && wanted[3] >= 0;
  if (pictures && given[1] == wanted[3] && given[3] != wanted[3])
    return "channels come last here: leave out what put them first, or transpose(x, {0, 2, 3, 1})";
  return "";
}

}  // namespace

void GraphSpec::raise_no_output(size_t outputs, int output, std::string_view name) {
  raise<InvalidArgument>(
      {.what = str("the network uses output ", output, " of '", name, "', which gives ", outputs),
       .hint = "the configuration that it was made from is damaged"});
}

void GraphSpec::check_input(const Node& node, const Shape& shape) const {
  const Shape& wanted = node.types.front().shape;
  if (fits(shape, wanted)) return;
  raise<InvalidArgument>({.what = str("input '", node.input_name, "' has shape ", shape),
                          .wanted = str(shape_text(wanted), made_at_text(location_)),
                          .hint = hint_for(shape, wanted)});
}

Tensor GraphSpec::checked_input(const Node& node, const Tensor& x) const {
  if (node.types.empty()) return x;
  check_input(node, x.shape());
  const DType wanted = node.types.front().dtype;
  return x.dtype() == wanted ? x : cast(x, wanted);
}

const std::string& GraphSpec::name_of(const Node& node) const {
  const auto child = static_cast<size_t>(node.child);
  return node.child >= 0 && child < layer_names.size() ? layer_names[child] : node.input_name;
}

// An input that may be left out has the sizes of the first one where it is left out, and where it
// is given.
void GraphSpec::check_optional(const Node& node, const Tensor& x, const Tensor& first) const {
  const Node& first_node = nodes[static_cast<size_t>(inputs[0])];
  if (!node.rules.default_value || node.types.empty() || first_node.types.empty()) return;
  const Shape& free = node.types.front().shape;
  if (free != first_node.types.front().shape || x.shape() == first.shape()) return;
  raise<InvalidArgument>(
      {.what = str("input '", node.input_name, "' has shape ", x.shape(), " beside '",
                   first_node.input_name, "' of shape ", first.shape()),
       .wanted = str("equal shapes", made_at_text(location_)),
       .hint = "pad both to one length, as one call of a tokenizer does"});
}

std::vector<Tensor> GraphSpec::all_inputs(const std::vector<Tensor>& xs, bool infers_shapes) const {
  std::vector<Tensor> result = xs;
  if (!xs.empty() && !inputs.empty())
    result[0] = checked_input(nodes[static_cast<size_t>(inputs[0])], xs[0]);
  // Where only shapes are wanted, sizes that are not known have stand-ins.
  for (size_t i = 1; i < std::min(xs.size(), inputs.size()) && !infers_shapes; ++i)
    check_optional(nodes[static_cast<size_t>(inputs[i])], xs[i], xs[0]);
  for (size_t i = xs.size(); i < inputs.size() && !xs.empty(); ++i) {
    const Node& node = nodes[static_cast<size_t>(inputs[i])];
    if (!node.rules.default_value) break;
    const SymbolType& type = node.types.front();
    result.push_back(
        fill(known_shape(type.shape, xs[0].shape()), *node.rules.default_value, type.dtype));
  }
  if (result.size() == inputs.size()) return result;
  raise<InvalidArgument>({.what = str(kind_, " '", name_, "' called on ", xs.size(), " inputs"),
                          .wanted = str(inputs.size()),
                          .location = location_});
}

std::vector<Tensor> GraphSpec::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const std::vector<Tensor> given = all_inputs(xs, context.infers_shapes());
  std::vector<std::vector<Tensor>> values(nodes.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node& node = nodes[static_cast<size_t>(inputs[i])];
    values[static_cast<size_t>(inputs[i])] = {checked_input(node, given[i])};
  }
  const int64_t batch = !xs.empty() && xs[0].rank() > 0 ? xs[0].shape()[0] : -1;
  const auto value_at = [&](const Port& port) {
    const auto from = static_cast<size_t>(port.first);
    return output_of(values[from], port.second, name_of(nodes[from]));
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& node = nodes[i];
    if (node.child >= 0) {
      std::vector<Tensor> arguments;
      for (const Port& port : node.inputs) arguments.push_back(value_at(port));
      values[i] = context.call(layers[static_cast<size_t>(node.child)], arguments, false);
    }
    if (!node.types.empty()) continue;
    for (const Tensor& value : values[i]) node.types.push_back(seen_type(value, batch));
  }
  std::vector<Tensor> results;
  for (const Port& port : outputs) results.push_back(value_at(port));
  return results;
}

namespace {

GraphSpec::Seen looked_up(const Layer& layer, const std::string& name, const GraphSpec::Seen& xs,
                          std::vector<SeenLookup>& found) {
  const AnySpec& spec = *layer.state()->spec;
  if (spec.is_network()) {
    const LayerScope scope(name);
    return static_cast<const GraphSpec&>(spec).look_up(xs, found);
  }
  for (const LookupLimit& one : spec.lookups()) {
    if (one.input >= xs.size() || !xs[one.input]) continue;
    const LayerScope scope(one.layer.empty() ? name : str(name, "/", one.layer));
    found.push_back({*xs[one.input], one.limit, LayerScope::path()});
  }
  if (xs.size() != 1 || !xs[0]) return {};
  return {spec.moved(*xs[0])};
}

}  // namespace

GraphSpec::Seen GraphSpec::look_up(const Seen& xs, std::vector<SeenLookup>& found) const {
  std::vector<Seen> values(nodes.size());
  for (size_t i = 0; i < std::min(xs.size(), inputs.size()); ++i) {
    const auto number = static_cast<size_t>(inputs[i]);
    const Node& node = nodes[number];
    values[number] = {xs[i]};
    if (!xs[i] || node.types.empty()) continue;
    check_input(node, xs[i]->shape);
    values[number] = {converted(*xs[i], node.types.front().dtype)};
  }
  const auto value_at = [&](const Port& port) {
    const Seen& from = values[static_cast<size_t>(port.first)];
    const auto output = static_cast<size_t>(port.second);
    return output < from.size() ? from[output] : std::nullopt;
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].child < 0) continue;
    const auto child = static_cast<size_t>(nodes[i].child);
    Seen arguments;
    for (const Port& port : nodes[i].inputs) arguments.push_back(value_at(port));
    values[i] = looked_up(layers[child], layer_names[child], arguments, found);
  }
  Seen results;
  for (const Port& port : outputs) results.push_back(value_at(port));
  return results;
}

namespace {

// Names that the user gave stay as they are; the others are numbered around them.
std::vector<std::string> names_of(const std::vector<Layer>& layers, SourceLocation location) {
  std::map<std::string, const Layer*> taken;
  for (const Layer& layer : layers) {
    if (layer.name().empty()) continue;
    const auto [other, is_new] = taken.emplace(layer.name(), &layer);
    if (is_new) continue;
    raise<InvalidArgument>(
        {.what = str("two layers have the name '", layer.name(), "', a ", other->second->kind(),
                     " and a ", layer.kind()),
         .wanted = "another name for each layer of a model",
         .hint = "weights and outputs are found by these names; to use one layer twice, and share "
                 "its weights, make it a Layer: Layer shared = Dense{...}",
         .location = layer.location().known() ? layer.location() : location});
  }
  std::vector<std::string> names;
  for (const Layer& layer : layers) {
    const std::string wanted = layer.name().empty() ? snake_case(layer.kind()) : layer.name();
    std::string name = wanted;
    if (layer.name().empty()) {
      for (int number = 1; !taken.emplace(name, &layer).second; ++number)
        name = str(wanted, "_", number);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::shared_ptr<LayerState> state_of_graph(std::unique_ptr<GraphSpec> graph) {
  auto state = std::make_shared<LayerState>();
  state->name = graph->name();
  state->policy = dtype_policy();
  if (graph->layer_names.empty())  // a configuration says them
    graph->layer_names = names_of(graph->layers, graph->made_at());
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    const Layer& layer = graph->layers[i];
    state->children.push_back({graph->layer_names[i], layer, layer.state()});
  }
  state->spec = std::move(graph);
  return state;
}

}  // namespace systolic::inline v0
