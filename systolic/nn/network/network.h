// A graph of layers with its weights: what Sequential and the functional API make, and what a Model
// trains. A handle: copies are the same network; clone() makes another.
//
//   Symbol x = input({.shape = {784}});
//   Symbol y = Dense{.units = 10}(Dense{.units = 64, .activation = "relu"}(x));
//   Network network(x, y);
//   Tensor logits = network(images, {.training = true});       // [batch, 784] -> [batch, 10]
//
// Layers without a name are numbered within the network, as Keras does: dense, dense_1, ...
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/symbol.h"

namespace systolic::inline v0 {

// How a network is called.
struct NetworkOptions {
  std::string name = {};  // empty: "sequential" or "functional"
};

// An input or output.
struct NetworkPort {
  std::string name;
  SymbolType type;
  InputRules rules = {};  // of an input
};

struct NamedVariable {
  std::string path;  // "conv2d_1/kernel": the same for every network built alike
  Variable variable;
};

// A line of Model::summary().
struct SummaryRow {
  std::string name;
  std::string kind;
  std::vector<Shape> output_shapes;  // -1 for unknown axes; empty before the network is built
  int64_t parameters = 0;
  bool trainable = true;
  std::vector<std::string> connected_to;  // "conv2d[0]": layer and number of its call
  std::vector<SummaryRow> inside = {};    // of a network
};

class Network {
 public:
  Network(const Symbol& input, const Symbol& output, NetworkOptions options = {},
          SourceLocation location = SourceLocation::current());
  Network(const std::vector<Symbol>& inputs, const std::vector<Symbol>& outputs,
          NetworkOptions options = {}, SourceLocation location = SourceLocation::current());
  Network(const std::vector<Symbol>& inputs, const Symbol& output, NetworkOptions options = {},
          SourceLocation location = SourceLocation::current());
  Network(const Symbol& input, const std::vector<Symbol>& outputs, NetworkOptions options = {},
          SourceLocation location = SourceLocation::current());
  // Layers one after another; what Sequential makes. Without an Input in front, shapes are known
  // and weights made at the first call.
  Network(const std::vector<Layer>& layers, NetworkOptions options,
          SourceLocation location = SourceLocation::current());
  // A handle that was moved from still holds on: moving copies.
  Network(const Network&) = default;
  Network& operator=(const Network&) = default;

  Tensor operator()(const Tensor& x, CallOptions options = {}) const;
  Tensor operator()(const std::vector<Tensor>& xs, CallOptions options = {}) const;
  std::vector<Tensor> outputs(const std::vector<Tensor>& xs, CallOptions options = {}) const;
  Symbol operator()(const Symbol& x, SourceLocation location = SourceLocation::current()) const;
  Symbol operator()(const std::vector<Symbol>& xs,
                    SourceLocation location = SourceLocation::current()) const;
  // Inside a layer's call.
  Tensor operator()(const Tensor& x, CallContext& context) const;
  // The same network as a layer of another.
  operator Layer() const { return Layer(state_); }  // NOLINT

  const std::string& name() const;
  // The layers in order, without inputs.
  std::vector<Layer> layers() const;
  // By name ("dense_1") or "block/dense_1"; an unknown one is a NotFound with the closest.
  Layer layer(std::string_view name, SourceLocation location = SourceLocation::current()) const;
  std::string name_of(const Layer& layer) const;

  bool built() const;
  // Makes the weights for inputs of these types; does nothing when they exist.
  void build(const std::vector<SymbolType>& inputs) const;
  // With -1 for the batch. output_ports of a network that is not built is a FailedPrecondition.
  std::vector<NetworkPort> input_ports() const;
  std::vector<NetworkPort> output_ports() const;

  // In the order of the layers; each variable once.
  std::vector<NamedVariable> named_weights() const;
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  void set_trainable(bool trainable) const;

  // What layers declare to look up of inputs of these types; they see them also through layers
  // that only move elements. Nothing where a layer, such as a user's, declares no traits, or does
  // not say how it moves elements. The network must be built.
  std::optional<std::vector<SeenLookup>> lookups(const std::vector<SymbolType>& inputs) const;
  // What its layers declare together; nothing where one of them, such as a user's, declares nothing
  // (nn/layer.h). Only after it is built.
  std::optional<LayerTraits> traits() const;
  // The path of a layer whose add_loss counted all rows, those that only pad too, in a call that
  // trains or in one that does not; empty without one.
  std::string batch_loss_layer(bool training) const;

  // The names of what layers add by add_metric, each once; complete after a call.
  std::vector<std::string> metric_names() const;

  std::vector<SummaryRow> summary_rows() const;
  // Another network of the same layers with copies of the weights' values.
  Network clone() const;
  Config get_config() const;
  static Network from_config(const Config& config,
                             SourceLocation location = SourceLocation::current());

  const std::shared_ptr<LayerState>& state() const { return state_; }
  friend auto trace_key(const Network& network) { return network.state_; }

 private:
  explicit Network(std::shared_ptr<LayerState> state) : state_(std::move(state)) {}
  std::shared_ptr<LayerState> state_;
};

}  // namespace systolic::inline v0
