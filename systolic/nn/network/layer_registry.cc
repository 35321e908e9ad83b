// The kinds that layer_from_config knows.
#include <map>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/nn/config/layer_from_fields.h"
#include "systolic/nn/embedding/distributed_embedding.h"
#include "systolic/nn/embedding/tpu_embedding_layer.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/all.h"
#include "systolic/nn/network/graph_spec.h"
#include "systolic/nn/network/layer_kinds.h"
#include "systolic/nn/symbol_operation.h"

namespace systolic::inline v0 {
namespace {

template <class Spec>
KerasForm keras_form_of() {
  if constexpr (requires { Spec::keras_form(); }) return Spec::keras_form();
  return {};
}

// Kinds of users' own join those of the library: one registry for the process.
struct Registry {
  std::mutex mutex;
  std::map<std::string, LayerKind> kinds;

  template <class... Specs>
  void add(LayerList<Specs...>) {
    (kinds.emplace(Specs::kind, LayerKind{layer_from_fields<Specs>, field_names<Specs>(),
                                          keras_form_of<Specs>()}),
     ...);
  }
  Registry() {
    add(AllLayers{});
    add(LayerList<SymbolArithmetic, SymbolSlice>{});  // what symbols' operators make
    add(LayerList<tfrs::layers::embedding::TPUEmbedding, keras_rs::layers::DistributedEmbedding>{});
  }
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

LayerKind layer_kind(const std::string& kind, SourceLocation location) {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  const auto found = known.kinds.find(kind);
  if (found != known.kinds.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& entry : known.kinds) names.push_back(entry.first);
  const std::vector<std::string> closest = closest_names(kind, names);
  raise<NotFound>({.what = str("no layer of kind '", kind, "'"),
                   .hint = closest.empty() ? "register_layer<YourLayer>() makes a kind known"
                                           : str("the closest kinds: ", join(closest, " ")),
                   .location = location});
}

bool is_layer_kind(const std::string& kind) {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  return known.kinds.count(kind) > 0;
}

void register_layer(std::string kind, std::vector<std::string> fields,
                    Layer (*from_fields)(const Config& values)) {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.kinds[std::move(kind)] = {from_fields, std::move(fields), {.is_of_keras = false}};
}

Layer layer_from_config(const Config& config, SourceLocation location) {
  const std::string& kind = config["class_name"].text_value();
  if (kind == "Sequential" || kind == "Functional") {
    return Layer(state_of_graph(graph_from_config(config, location)));
  }
  const LayerKind known = layer_kind(kind, location);
  const ErrorScope scope("configuration", location);
  return known.from_fields(config["config"]);
}

}  // namespace systolic::inline v0
