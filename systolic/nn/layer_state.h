// What a Layer handle points to. Internal to nn.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/remat.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

struct LayerState {
  struct Weight {
    std::string name;
    Variable variable;
    Regularizer regularizer;
  };
  struct Child {
    std::string name;
    Layer layer;
    // The handle by which the spec knows it: `layer` itself, but in a clone the original's.
    std::shared_ptr<LayerState> key;
    int inline_turn = -1;  // >= 0: the n-th of its kind written inside the call
  };

  std::unique_ptr<AnySpec> spec;
  std::string name;  // as given
  // For a network that this library made for the user: the user's line. It stands in the place of
  // the lines of all layers inside, which are ours.
  SourceLocation user_line = {};
  DTypePolicy policy;                 // in force when the layer was made, as
  std::optional<RematOptions> remat;  // is this
  bool trainable = true;
  // By add_loss, without having asked for the sample mask: in calls that train, in others.
  bool adds_batch_loss_in_training = false, adds_batch_loss = false;
  std::vector<std::string> metric_names;  // those of add_metric, once they are known
  std::vector<Weight> weights;
  std::vector<Child> children;
  std::optional<Layer> adapter;         // one of the children: nn/network/adapter.h
  std::optional<uint64_t> weight_seed;  // drawn when the first weight is made
  Variable random_state;                // u64[2]; of the outermost layer, when one asked for a key

  // The child that is `layer`, with a free name if it is new.
  Child child(const Layer& layer);
  std::string free_name(const std::string& wanted) const;
  std::string wanted_name(const Layer& layer) const;
};

// "SeparableConv2D" -> "separable_conv2d", as Keras names layers.
std::string snake_case(std::string_view kind);

// Calls a layer under `name` ("" for none): opens its scope, casts the inputs, adds regularizers.
std::vector<Tensor> call_layer(RootCall& call, const Layer& layer, const std::string& name,
                               const std::vector<Tensor>& inputs);
// The same as the outermost call.
std::vector<Tensor> call_root(const Layer& layer, const std::vector<Tensor>& inputs,
                              const CallOptions& options, bool infers_shapes = false);

// The random_state of an outermost layer, made where there is none yet.
const Variable& random_state_of(LayerState& root);

// Copies of a layer and all inside, weights' values too. Layers shared within stay shared.
using CloneMap = std::map<const LayerState*, std::shared_ptr<LayerState>>;
std::shared_ptr<LayerState> clone_state(const std::shared_ptr<LayerState>& state, CloneMap& done);

}  // namespace systolic::inline v0
