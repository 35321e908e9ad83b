#include "systolic/nn/network/adapter.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/infer_types.h"
#include "systolic/nn/layer_state.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace {

const Variable* kernel_of(const LayerState& state) {
  for (const LayerState::Weight& weight : state.weights) {
    if (weight.name == "kernel" && weight.variable.shape().rank() == 2) return &weight.variable;
  }
  return nullptr;
}

bool has_adapter_below(const LayerState& state) {
  return state.adapter || std::ranges::any_of(state.children, [](const LayerState::Child& child) {
           return has_adapter_below(*child.layer.state());
         });
}

}  // namespace

bool takes_adapter(const Layer& layer) {
  return layer.kind() == "Dense" && kernel_of(*layer.state()) != nullptr;
}

void build_adapter(const Layer& layer, const Layer& adapter) {
  LayerState& state = *layer.state();
  if (!takes_adapter(layer) || state.adapter) {
    raise<InvalidArgument>(
        {.what = str("an adapter for layer '", layer.name(), "', a ", layer.kind()),
         .got = state.adapter ? "one that has an adapter" : "",
         .wanted = "a Dense that is built and has none",
         .location = layer.location()});
  }
  adapter.state()->policy = state.policy;
  const Shape& kernel = kernel_of(state)->shape();
  const DType dtype = state.policy.compute_dtype();
  infer_types(adapter, {{dtype, {1, kernel[0]}}, {dtype, kernel}, {dtype, {1, kernel[1]}}});
}

void add_adapter(const Layer& layer, const Layer& adapter) {
  build_adapter(layer, adapter);
  LayerState& state = *layer.state();
  const std::string name = state.free_name(state.wanted_name(adapter));
  state.children.push_back({name, adapter, adapter.state()});
  state.adapter = adapter;
  const std::string kernel = kernel_of(state)->name();
  const std::string path = kernel.substr(0, kernel.rfind('/') + 1);
  for (const LayerState::Weight& weight : adapter.state()->weights) {
    weight.variable.state()->options.name = str(path, name, "/", weight.name);
  }
}

void remove_adapter(const Layer& layer) {
  LayerState& state = *layer.state();
  if (!state.adapter) return;
  std::erase_if(state.children, [&](const LayerState::Child& child) {
    return child.key == state.adapter->state();
  });
  state.adapter.reset();
}

bool has_adapters(const Network& network) { return has_adapter_below(*network.state()); }

}  // namespace systolic::inline v0
