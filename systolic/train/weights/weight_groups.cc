#include "systolic/train/weights/weight_groups.h"

#include <algorithm>
#include <map>
#include <set>

#include "systolic/base/error.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/layers/preprocessing/integer_lookup.h"
#include "systolic/train/weights/keras_members.h"
#include "systolic/train/weights/layer_order.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : str(path, "/", name);
}

// Names of layers in a list, each by its class; the second of a class is "dense_1".
class NamesByClass {
 public:
  std::string next(const LayerState& layer) {
    const std::string name = class_of(layer);
    const int turn = used_[name]++;
    return turn == 0 ? name : str(name, "_", turn);
  }

 private:
  static std::string class_of(const LayerState& layer) {
    if (!layer.spec->is_network()) {
      const std::string own = keras_form_of(layer).path;
      return own.empty() ? snake_case(layer.spec->kind()) : own;
    }
    return is_chain(static_cast<const GraphSpec&>(*layer.spec)) ? "sequential" : "functional";
  }
  std::map<std::string, int> used_;
};

// Calls `visit(path, name, state)` for each layer once.
class LayerWalk {
 public:
  using Visit =
      std::function<void(const std::string& path, const std::string& name, const LayerState&)>;
  explicit LayerWalk(Visit visit) : visit_(std::move(visit)) {}

  void walk(const LayerState& state, const std::string& path, const std::string& name) {
    if (!seen_.insert(&state).second) return;
    visit_(path, name, state);
    if (state.spec->is_network()) {
      walk_network(state, joined(path, "layers"));
      return;
    }
    const KerasForm form = keras_form_of(state);
    NamesByClass names;
    for (const LayerState::Child& child : state.children) {
      const LayerState& inner = *child.layer.state();
      const std::string name = form.list.empty() ? keras_name_inside(form, child.name)
                                                 : str(form.list, "/", names.next(inner));
      walk(inner, joined(path, name), child.name);
    }
  }

 private:
  void walk_network(const LayerState& state, const std::string& path) {
    const auto& graph = static_cast<const GraphSpec&>(*state.spec);
    NamesByClass names;
    for (const OrderedLayer& one : layers_in_keras_order(graph)) {
      if (one.child < 0) continue;  // inputs have no weights, and a class of their own
      const LayerState::Child& child = state.children[static_cast<size_t>(one.child)];
      const LayerState& inner = *child.layer.state();
      walk(inner, joined(path, names.next(inner)), child.name);
    }
  }

  Visit visit_;
  std::set<const LayerState*> seen_;
};

// Those of the layers inside that count as the layer's own, too.
std::vector<Variable> weights_also_own(const KerasForm& form, const LayerState& state) {
  std::vector<Variable> variables;
  for (const LayerState::Child& child : state.children) {
    for (const LayerState::Weight& weight : child.layer.state()->weights) {
      if (std::count(form.also_own.begin(), form.also_own.end(), weight.name) > 0)
        variables.push_back(weight.variable);
    }
  }
  return variables;
}

std::optional<Literal> token_weights_of(const LayerState& state) {
  if (state.spec->kind() != IntegerLookup::kind) return {};
  const auto layer = spec_from<IntegerLookup>(state.spec->config()["config"]);
  if (!layer.output_mode.is("tf_idf")) return {};
  const std::vector<double> weights = Lookup<int64_t>(layer.rules()).weights();
  return Literal::from(weights, {static_cast<int64_t>(weights.size())}).convert(DType::f32);
}

// Variables whose names have a part before a '/' belong to a layer inside, for Keras.
void add_groups(const std::string& path, const std::string& name, const LayerState& state,
                std::vector<WeightGroup>& groups) {
  const KerasForm form = keras_form_of(state);
  std::vector<WeightGroup> own{
      {path, name, weights_also_own(form, state), token_weights_of(state)}};
  std::map<std::string, size_t> places{{"", 0}};
  for (const bool trainable : {true, false}) {  // Keras keeps the trainable ones first
    for (const LayerState::Weight& weight : state.weights) {
      if (weight.variable.trainable() != trainable) continue;
      const size_t slash = weight.name.rfind('/');
      const std::string inner = slash == std::string::npos ? "" : weight.name.substr(0, slash);
      const auto place = places.emplace(inner, own.size());
      if (place.second) {
        const std::string keras_name = keras_name_inside(form, inner);
        own.push_back({joined(path, keras_name), keras_name, {}});
      }
      own[place.first->second].variables.push_back(weight.variable);
    }
  }
  for (WeightGroup& group : own) groups.push_back(std::move(group));
}

}  // namespace

std::vector<WeightGroup> weight_groups(const Network& network) {
  std::vector<WeightGroup> groups;
  LayerWalk walk([&](const std::string& path, const std::string& name, const LayerState& state) {
    add_groups(path, name, state, groups);
  });
  walk.walk(*network.state(), "", network.name());
  return groups;
}

std::vector<OuterLayer> outer_layers(const Network& network) {
  const LayerState& state = *network.state();
  const auto& graph = static_cast<const GraphSpec&>(*state.spec);
  std::vector<OuterLayer> layers;
  for (const OrderedLayer& one : layers_in_keras_order(graph)) {
    if (one.child < 0) {
      layers.push_back({graph.nodes[static_cast<size_t>(one.nodes.front())].input_name, {}});
      continue;
    }
    const LayerState::Child& child = state.children[static_cast<size_t>(one.child)];
    OuterLayer layer{child.name, {}};
    std::vector<NamedVariable> others;
    LayerWalk walk([&](const std::string& path, const std::string&, const LayerState& inner) {
      for (const LayerState::Weight& weight : inner.weights) {
        const bool trains = inner.trainable && weight.variable.trainable();
        (trains ? layer.weights : others).push_back({joined(path, weight.name), weight.variable});
      }
    });
    walk.walk(*child.layer.state(), child.name, child.name);
    layer.weights.insert(layer.weights.end(), others.begin(), others.end());
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<Variable> trainable_in_keras_order(const Network& network) {
  std::vector<Variable> variables;
  LayerWalk walk([&](const std::string&, const std::string&, const LayerState& state) {
    if (!state.trainable) return;
    for (const LayerState::Weight& weight : state.weights) {
      if (weight.variable.trainable()) variables.push_back(weight.variable);
    }
  });
  walk.walk(*network.state(), "", network.name());
  return variables;
}

}  // namespace saving
}  // namespace systolic::inline v0
