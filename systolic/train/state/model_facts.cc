#include "systolic/train/state/model_facts.h"

#include <algorithm>
#include <atomic>

#include "systolic/base/text.h"
#include "systolic/nn/layer_state.h"

namespace systolic::inline v0 {
namespace {

std::atomic<ModelJsonWriter> model_json_writer{nullptr};

}  // namespace

namespace {

bool is_sequential(const LayerState& network) { return network.spec->kind() == "Sequential"; }

// Keras makes the weights of a Sequential within a scope of its name, those of the layers that a
// functional network joins in no scope at all.
std::string keras_path(const Network& network, std::string_view path) {
  const LayerState* state = network.state().get();
  std::string scope = is_sequential(*state) ? network.name() + "/" : "";
  for (;;) {
    const std::string_view name = path.substr(0, path.find('/'));
    const auto child = std::find_if(state->children.begin(), state->children.end(),
                                    [&](const LayerState::Child& one) { return one.name == name; });
    if (child == state->children.end()) return str(scope, path);
    state = child->layer.state().get();
    if (!state->spec->is_network()) return str(scope, path);
    scope = is_sequential(*state) ? str(scope, name, "/") : "";
    path.remove_prefix(name.size() + 1);
  }
}

}  // namespace

std::vector<events::NamedValues> named_values(const Network& network) {
  std::vector<events::NamedValues> all;
  if (!network.built()) return all;
  for (const auto& [path, variable] : network.named_weights()) {
    const Literal numbers = variable.literal().convert(DType::f32);
    const auto values = numbers.data<float>();
    // Two networks within one may have layers of the same name.
    const std::string name = keras_path(network, path);
    const bool taken =
        std::any_of(all.begin(), all.end(), [&](const auto& other) { return other.name == name; });
    all.push_back({.name = taken ? path : name, .values = {values.begin(), values.end()}});
  }
  return all;
}

std::string model_json(const Network& network) {
  const ModelJsonWriter writer = model_json_writer.load();
  return writer == nullptr ? "" : writer(network);
}

void write_model_json_by(ModelJsonWriter writer) { model_json_writer = writer; }

}  // namespace systolic::inline v0
