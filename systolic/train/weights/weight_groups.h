// Where Keras 3's weight files keep each variable: by the place of its layer, not by names
// ("layers/dense_1/vars/0" is the first variable of the second Dense). Internal to train and
// saving.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {
namespace saving {

// What one layer has for itself: "layers/conv2d", "layers/functional/layers/dense".
struct WeightGroup {
  std::string path;  // empty: the model
  std::string name;  // the layer's own
  std::vector<Variable> variables;
  // f32, of a lookup that weighs its tokens: Keras keeps them as "idf_weights", this library in the
  // layer's configuration.
  std::optional<Literal> token_weights = {};
};

// The groups of a network that is built: each layer once, a shared one where it comes first.
std::vector<WeightGroup> weight_groups(const Network& network);

// A layer of the network itself, inputs among them, and all that it and the layers inside it have:
// what trains, then the rest.
struct OuterLayer {
  std::string name;
  std::vector<NamedVariable> weights;  // "dense/kernel"
};
// In Keras's order of the layers.
std::vector<OuterLayer> outer_layers(const Network& network);

// In the order in which Keras's optimizers know them.
std::vector<Variable> trainable_in_keras_order(const Network& network);

}  // namespace saving
}  // namespace systolic::inline v0
