// A layer as Keras's objects have it: the names under which it keeps weights and other layers.
// Internal to train and saving.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/layer_state.h"
#include "systolic/nn/network/layer_kinds.h"

namespace systolic::inline v0 {
namespace saving {

KerasForm keras_form_of(const LayerState& state);

// "query" of a MultiHeadAttention is Keras's "query_dense"; most names are the same.
std::string keras_name_inside(const KerasForm& form, const std::string& name);

// A weight of the layer's own by its attributes: {"kernel"}, {"query_dense", "kernel"}.
std::vector<std::string> keras_attributes(const KerasForm& form, const LayerState::Weight& weight);

// Whether the layer or one inside it has weights.
bool has_weights(const LayerState& state);

// Those of a network that have weights, in Keras's order.
std::vector<const LayerState::Child*> layers_with_weights(const LayerState& network);

}  // namespace saving
}  // namespace systolic::inline v0
