// Models as objects of a TensorFlow checkpoint (checkpoint_objects.h), by the names that Keras's
// have there. Internal to train and saving.
//
// A network of tf_keras 2 has "layer_with_weights-N", for layers that have weights, one of Keras 3
// "_functional", in it "_operations"; a layer has its attributes. What is written has both, and
// tf_keras's names in the file.
#pragma once

#include <map>

#include "systolic/nn/layer_state.h"
#include "systolic/train/weights/checkpoint_objects.h"
#include "systolic/train/weights/weight_match.h"

namespace systolic::inline v0 {
namespace saving {

// Adds networks and what is in them; a layer that several share is one object.
class ModelObjects {
 public:
  explicit ModelObjects(CheckpointObjects& objects) : objects_(objects) {}
  // The network is the object `node`.
  void add_network(const LayerState& network, size_t node);

 private:
  void add_layer(const LayerState& state, size_t parent, const std::string& name);
  void add_members(const LayerState& state, size_t node);
  size_t inner_object(size_t node, const std::vector<std::string>& names);
  CheckpointObjects& objects_;
  std::map<const LayerState*, size_t> layers_;
  std::map<std::pair<size_t, std::string>, size_t> inner_;  // by the object around and the name
};

// The networks among the checkpoint's root and its children: {name, node}, the root's name empty.
std::vector<std::pair<std::string, size_t>> stored_networks(const StoredObjects& stored);

// Matches a network's variables with those of the stored network `node`, layer by layer: the n-th
// that has weights with the n-th. Gives the objects that were found.
StoredVariables match_network(const StoredObjects& stored, size_t node, const LayerState& network,
                              WeightMatch& match, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
