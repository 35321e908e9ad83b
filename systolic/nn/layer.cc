#include "systolic/nn/layer.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/nn/infer_types.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/symbol_node.h"

namespace systolic::inline v0 {

namespace internal {

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  std::string name = text ? text.get() : "";
  name = name.substr(0, name.find('<'));
  const size_t colon = name.rfind("::");
  if (colon != std::string::npos) name = name.substr(colon + 2);
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_ascii_alphanumeric(c) || c == '_';
  });
  return is_name ? name : "Layer";
}

void raise_no_config(const std::string& kind) {
  raise<Unimplemented>({.what = str("a layer of kind ", kind, " has no configuration"),
                        .hint = "give its spec a `static constexpr const char* kind` and a "
                                "`static constexpr auto fields()`"});
}

const Tensor& only_input(const std::vector<Tensor>& inputs) {
  if (inputs.size() != 1) {
    raise<InvalidArgument>({.what = str("called on ", inputs.size(), " inputs"), .wanted = "one"});
  }
  return inputs.front();
}

}  // namespace internal

std::shared_ptr<LayerState> Layer::make_state(std::unique_ptr<AnySpec> spec) {
  auto state = std::make_shared<LayerState>();
  state->name = spec->name();
  state->policy = spec->dtype().is_set() ? spec->dtype() : dtype_policy();
  state->remat = internal::remat_in_force();
  if (state->name.find('/') != std::string::npos) {
    raise<InvalidArgument>({.what = str(spec->kind(), ": name '", state->name, "' holds a '/'"),
                            .hint = "the '/' stands between a layer and the one it lies in",
                            .location = spec->location()});
  }
  state->spec = std::move(spec);
  return state;
}

std::string Layer::kind() const { return state_->spec->kind(); }
const std::string& Layer::name() const { return state_->name; }
SourceLocation Layer::location() const { return state_->spec->location(); }
bool Layer::trainable() const { return state_->trainable; }

void Layer::set_trainable(bool trainable) const {
  state_->trainable = trainable;
  for (const LayerState::Child& child : state_->children) child.layer.set_trainable(trainable);
}

namespace {

template <class T>
const T& single(const std::vector<T>& outputs, const Layer& layer, SourceLocation location) {
  if (outputs.size() != 1) {
    raise<InvalidArgument>({.what = str(layer.kind(), " gives ", outputs.size(), " outputs"),
                            .wanted = "one",
                            .hint = "a layer's outputs(...) gives all of them, a model's "
                                    "outputs(batch) or predict_outputs(...)",
                            .location = location});
  }
  return outputs.front();
}

}  // namespace

std::vector<Symbol> Layer::outputs(const std::vector<Symbol>& xs, SourceLocation location) const {
  SymbolNode node;
  node.layer = *this;
  node.inputs = xs;
  node.location = location;
  std::vector<SymbolType> types;
  for (const Symbol& x : xs) types.push_back(x.type());
  try {
    node.outputs = infer_types(*this, types);
  } catch (const Error& error) {
    error.rethrow_within("", location);  // the line of the call, where it names none
  }
  const std::shared_ptr<SymbolNode> made = make_symbol_node(std::move(node));
  std::vector<Symbol> result;
  for (size_t i = 0; i < made->outputs.size(); ++i) result.emplace_back(made, static_cast<int>(i));
  return result;
}

Symbol Layer::operator()(const std::vector<Symbol>& xs, SourceLocation location) const {
  return single(outputs(xs, location), *this, location);
}
Symbol Layer::operator()(const Symbol& x, SourceLocation location) const {
  return (*this)(std::vector<Symbol>{x}, location);
}

Tensor Layer::operator()(const std::vector<Tensor>& xs, CallContext& context) const {
  return single(context.call(*this, xs, false), *this, location());
}
Tensor Layer::operator()(const Tensor& x, CallContext& context) const {
  return (*this)(std::vector<Tensor>{x}, context);
}

Tensor Layer::operator()(const std::vector<Tensor>& xs, CallOptions options) const {
  return single(call_root(*this, xs, options), *this, location());
}
Tensor Layer::operator()(const Tensor& x, CallOptions options) const {
  return (*this)(std::vector<Tensor>{x}, std::move(options));
}

std::vector<Variable> Layer::weights() const {
  std::vector<Variable> result;
  for (const LayerState::Weight& weight : state_->weights) result.push_back(weight.variable);
  for (const LayerState::Child& child : state_->children) {
    for (const Variable& variable : child.layer.weights()) {
      if (std::find(result.begin(), result.end(), variable) == result.end()) {
        result.push_back(variable);
      }
    }
  }
  return result;
}

std::vector<LookupLimit> Layer::lookups() const { return state_->spec->lookups(); }

Config Layer::get_config() const { return state_->spec->config(); }

}  // namespace systolic::inline v0
