#include "systolic/train/weights/checkpoint_model.h"

#include <algorithm>
#include <set>

#include "systolic/base/error.h"
#include "systolic/train/weights/keras_members.h"
#include "systolic/train/weights/layer_order.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr const char* with_weights = "layer_with_weights-";

// The layers of a stored network that have weights; nothing where the object is not a network.
std::optional<std::vector<size_t>> stored_layers(const StoredObjects& stored, size_t node) {
  std::vector<size_t> layers;
  while (const auto layer = stored.child(node, str(with_weights, layers.size())))
    layers.push_back(*layer);
  if (!layers.empty() || stored.child(node, "layer-0")) return layers;
  const size_t functional = stored.child(node, "_functional").value_or(node);
  for (const char* name : {"_operations", "_layers"}) {
    const auto all = stored.child(functional, name);
    if (!all) continue;
    for (const size_t layer : stored.list(*all)) {
      if (stored.reaches_arrays(layer)) layers.push_back(layer);
    }
    return layers;
  }
  return std::nullopt;
}

// The projections of attention layers are "_query_dense" and so on, in both versions of Keras.
std::string attribute_name(const std::string& keras_name) {
  return keras_name.ends_with("_dense") ? "_" + keras_name : keras_name;
}

// One network of a model against a checkpoint.
class NetworkMatch {
 public:
  NetworkMatch(const StoredObjects& stored, WeightMatch& match, SourceLocation location)
      : stored_(stored), match_(match), location_(location) {}

  void match_layers(const LayerState& network, size_t node, const std::string& path) {
    const auto theirs = stored_layers(stored_, node);
    const auto ours = layers_with_weights(network);
    if (!theirs || theirs->size() != ours.size()) {
      match_.missing(str(path.empty() ? "the model" : "'" + path + "'", " has ",
                         theirs ? theirs->size() : 0, " layers with weights in the file, ",
                         ours.size(), " in the model"));
      return;
    }
    for (size_t i = 0; i < ours.size(); ++i) {
      const std::string& name = ours[i]->name;
      match_layer(*ours[i]->layer.state(), (*theirs)[i],
                  path.empty() ? name : str(path, "/", name));
    }
  }
  const StoredVariables& variables() const { return variables_; }

 private:
  void match_layer(const LayerState& state, size_t node, const std::string& path) {
    if (state.spec->is_network()) return match_layers(state, node, path);
    const KerasForm form = keras_form_of(state);
    for (const LayerState::Weight& weight : state.weights) {
      const std::string name = str(path, "/", weight.name);
      const auto found = follow(node, keras_attributes(form, weight));
      const auto array = found ? stored_.array(*found) : std::nullopt;
      if (array) {
        used_.insert(*found);
        variables_[weight.variable.state().get()] = *found;
        match_.found(weight.variable, {stored_.info(*array).dtype, stored_.info(*array).shape},
                     name, stored_.reader(*array, location_));
      } else {
        match_.missing(name);
      }
    }
    for (const LayerState::Child& child : state.children) {
      const LayerState& inner = *child.layer.state();
      if (!has_weights(inner)) continue;
      const std::string name = str(path, "/", child.name);
      const auto found = follow(node, split(keras_name_inside(form, child.name), '/'));
      found ? match_layer(inner, *found, name) : match_.missing(str(name, " with its weights"));
    }
    list_unused(node, path);
  }

  std::optional<size_t> follow(size_t node, const std::vector<std::string>& names) const {
    std::optional<size_t> found = node;
    for (const std::string& name : names) {
      if (found) found = stored_.child(*found, name);
    }
    return found;
  }

  // Attributes of the file's layer that hold an array which no weight asked for.
  void list_unused(size_t node, const std::string& path) {
    for (const auto& child : stored_.graph().nodes[node].children) {
      if (is_random_generator(child.name) || used_.count(child.node) > 0) continue;
      if (const auto array = stored_.array(child.node))
        match_.unexpected(str(path, "/", child.name, ", '", array->name, "' in the file"));
    }
  }

  const StoredObjects& stored_;
  WeightMatch& match_;
  SourceLocation location_;
  std::set<size_t> used_;
  StoredVariables variables_;
};

}  // namespace

// tf_keras counts inputs among the layers of a functional model but not of a Sequential, so
// "layer-N" could name two objects at once, of which neither would be restored: those with weights
// are enough. Keras 3 counts an input in both.
void ModelObjects::add_network(const LayerState& network, size_t node) {
  layers_[&network] = node;
  const size_t operations = objects_.add(objects_.add(node, "_functional"), "_operations");
  objects_.link(node, "_operations", operations);
  const auto& graph = static_cast<const GraphSpec&>(*network.spec);
  size_t place = is_chain(graph) ? 1 : 0, weighted = 0;
  for (const OrderedLayer& one : layers_in_keras_order(graph)) {
    const std::string number = str(place++);
    if (one.child < 0) continue;
    const LayerState& state = *network.children[static_cast<size_t>(one.child)].layer.state();
    if (!has_weights(state)) continue;
    add_layer(state, node, str(with_weights, weighted++));
    objects_.link(operations, number, layers_.at(&state));
  }
}

void ModelObjects::add_layer(const LayerState& state, size_t parent, const std::string& name) {
  const auto known = layers_.find(&state);
  if (known != layers_.end()) {
    objects_.link(parent, name, known->second);
    return;
  }
  const size_t node = objects_.add(parent, name);
  layers_[&state] = node;
  state.spec->is_network() ? add_network(state, node) : add_members(state, node);
}

// The object of attributes of `node`, made where it is not there yet.
size_t ModelObjects::inner_object(size_t node, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto [place, is_new] = inner_.emplace(std::pair(node, name), 0);
    if (is_new) place->second = objects_.add(node, name);
    node = place->second;
  }
  return node;
}

// Keras 3's Dense and EinsumDense call their kernel "_kernel".
void ModelObjects::add_members(const LayerState& state, size_t node) {
  const KerasForm form = keras_form_of(state);
  const auto owner = [&](std::vector<std::string>& names) {
    const std::string last = names.back();
    names.pop_back();
    for (std::string& name : names) name = attribute_name(name);
    return std::pair(inner_object(node, names), last);
  };
  for (const LayerState::Weight& weight : state.weights) {
    std::vector<std::string> names = keras_attributes(form, weight);
    const auto [object, last] = owner(names);
    const size_t variable = objects_.add_variable(object, last, weight.variable);
    if (last == "kernel") objects_.link(object, "_kernel", variable);
  }
  for (const LayerState::Child& child : state.children) {
    if (!has_weights(*child.layer.state())) continue;
    std::vector<std::string> names = split(keras_name_inside(form, child.name), '/');
    const auto [object, last] = owner(names);
    add_layer(*child.layer.state(), object, attribute_name(last));
  }
}

std::vector<std::pair<std::string, size_t>> stored_networks(const StoredObjects& stored) {
  std::vector<std::pair<std::string, size_t>> networks;
  if (!stored.has_graph()) return networks;
  if (stored_layers(stored, StoredObjects::root())) return {{"", StoredObjects::root()}};
  std::set<size_t> seen;
  for (const auto& child : stored.graph().nodes[StoredObjects::root()].children) {
    if (stored_layers(stored, child.node) && seen.insert(child.node).second)
      networks.emplace_back(child.name, child.node);
  }
  return networks;
}

StoredVariables match_network(const StoredObjects& stored, size_t node, const LayerState& network,
                              WeightMatch& match, SourceLocation location) {
  NetworkMatch matching(stored, match, location);
  matching.match_layers(network, node, "");
  return matching.variables();
}

}  // namespace saving
}  // namespace systolic::inline v0
