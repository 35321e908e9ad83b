#include "systolic/train/weights/keras_members.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/train/weights/layer_order.h"

namespace systolic::inline v0 {
namespace saving {

namespace {

// "cells/*" for "*", if `name` is one that `ours` stands for; nothing otherwise.
std::optional<std::string> matched_name(const std::string& ours, const std::string& keras,
                                        const std::string& name) {
  if (ours == name) return keras;
  if (!ours.ends_with('*')) return {};
  const std::string_view start = std::string_view(ours).substr(0, ours.size() - 1);
  if (!name.starts_with(start)) return {};
  const size_t star = keras.find('*');
  if (star == std::string::npos) return keras;
  return str(keras.substr(0, star), name.substr(start.size()), keras.substr(star + 1));
}

}  // namespace

KerasForm keras_form_of(const LayerState& state) {
  const std::string kind = state.spec->kind();
  return is_layer_kind(kind) ? layer_kind(kind).keras : KerasForm{};
}

std::string keras_name_inside(const KerasForm& form, const std::string& name) {
  for (const auto& [ours, keras] : form.inside) {
    if (const auto found = matched_name(ours, keras, name)) return *found;
  }
  return name;
}

std::vector<std::string> keras_attributes(const KerasForm& form, const LayerState::Weight& weight) {
  const size_t slash = weight.name.rfind('/');
  if (slash == std::string::npos) return {weight.name};
  std::vector<std::string> names =
      split(keras_name_inside(form, weight.name.substr(0, slash)), '/');
  names.push_back(weight.name.substr(slash + 1));
  return names;
}

bool has_weights(const LayerState& state) {
  return !state.weights.empty() ||
         std::any_of(state.children.begin(), state.children.end(),
                     [](const auto& child) { return has_weights(*child.layer.state()); });
}

std::vector<const LayerState::Child*> layers_with_weights(const LayerState& network) {
  std::vector<const LayerState::Child*> layers;
  for (const OrderedLayer& one :
       layers_in_keras_order(static_cast<const GraphSpec&>(*network.spec))) {
    if (one.child < 0) continue;
    const LayerState::Child& child = network.children[static_cast<size_t>(one.child)];
    if (has_weights(*child.layer.state())) layers.push_back(&child);
  }
  return layers;
}

}  // namespace saving
}  // namespace systolic::inline v0
