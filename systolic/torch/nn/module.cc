#include "systolic/torch/nn/module.h"

#include <algorithm>
#include <atomic>

#include "systolic/base/error.h"
#include "systolic/torch/process.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

namespace {

// No module has the number of one that is gone.
uint64_t next_module_number() {
  static std::atomic<uint64_t> count{0};
  return ++count;
}

}  // namespace

struct AnyModule::State {
  const uint64_t number = next_module_number();
  std::string kind;
  SourceLocation location;
  Named parameters, buffers;
  std::vector<std::pair<std::string, std::shared_ptr<State>>> children;
};

AnyModule::AnyModule(std::string kind, At at) : state_(std::make_shared<State>()) {
  state_->kind = std::move(kind);
  state_->location = at;
}

const std::string& AnyModule::kind() const { return state_->kind; }
SourceLocation AnyModule::location() const { return state_->location; }

Parameter AnyModule::register_parameter(std::string name, Literal initial) {
  const Parameter parameter(std::move(initial), {.requires_grad = true, .name = name});
  state_->parameters.emplace_back(std::move(name), parameter);
  return parameter;
}

Parameter AnyModule::register_buffer(std::string name, Literal initial) {
  const Parameter buffer(std::move(initial), {.requires_grad = false, .name = name});
  state_->buffers.emplace_back(std::move(name), buffer);
  return buffer;
}

void AnyModule::add_child(std::string name, const AnyModule& part) {
  state_->children.emplace_back(std::move(name), part.state_);
}

void AnyModule::collect(const State& state, const std::string& prefix, bool buffers, Named& into) {
  for (const auto& [name, parameter] : buffers ? state.buffers : state.parameters) {
    const bool known =
        std::any_of(into.begin(), into.end(),
                    [&, &own = parameter](const auto& entry) { return entry.second == own; });
    if (!known) into.emplace_back(prefix + name, parameter);
  }
  for (const auto& [name, child] : state.children)
    collect(*child, prefix + name + ".", buffers, into);
}

void AnyModule::collect_state(const State& state, const std::string& prefix, Named& into) {
  for (const auto& [name, parameter] : state.parameters)
    into.emplace_back(prefix + name, parameter);
  for (const auto& [name, buffer] : state.buffers) into.emplace_back(prefix + name, buffer);
  for (const auto& [name, child] : state.children) collect_state(*child, prefix + name + ".", into);
}

std::vector<std::pair<std::string, Parameter>> AnyModule::named_parameters() const {
  Named result;
  collect(*state_, "", false, result);
  return result;
}

std::vector<Parameter> AnyModule::parameters() const {
  std::vector<Parameter> result;
  for (auto& entry : named_parameters()) result.push_back(std::move(entry.second));
  return result;
}

std::vector<std::pair<std::string, Parameter>> AnyModule::named_buffers() const {
  Named result;
  collect(*state_, "", true, result);
  return result;
}

StateDict AnyModule::state_dict(At at) const {
  Named all;
  collect_state(*state_, "", all);
  std::vector<StateDict::Entry> entries;
  for (const auto& [name, parameter] : all) entries.emplace_back(name, parameter.literal(at));
  return entries;
}

LoadResult AnyModule::load_state_dict(const StateDict& state, LoadOptions options, At at) const {
  Named all;
  collect_state(*state_, "", all);
  LoadResult result;
  std::vector<std::string> wrong;
  for (const auto& [name, parameter] : all) {
    const Literal* value = state.find(name);
    if (value == nullptr) {
      result.missing_keys.push_back(name);
    } else if (!(value->shape() == parameter.shape())) {
      wrong.push_back(str("'", name, "' is ", value->shape(), " and not ", parameter.shape()));
    }
  }
  for (const auto& [name, value] : state) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&own = name](const auto& entry) { return entry.first == own; });
    if (!known) result.unexpected_keys.push_back(name);
  }
  if (options.strict && !result.missing_keys.empty())
    wrong.push_back(str("missing: ", join(result.missing_keys)));
  if (options.strict && !result.unexpected_keys.empty())
    wrong.push_back(str("unexpected: ", join(result.unexpected_keys)));
  if (!wrong.empty()) {
    raise<InvalidArgument>({.what = str("load_state_dict for ", kind(), ": ", join(wrong, "; ")),
                            .hint = options.strict ? "{.strict = false} leaves out names" : "",
                            .location = at});
  }
  for (const auto& [name, parameter] : all) {
    if (const Literal* value = state.find(name)) parameter.copy_(*value, at);
  }
  return result;
}

void AnyModule::set_mode(const State& state, bool mode) {
  internal::Process::current().set_training(state.number, mode);
  for (const auto& entry : state.children) set_mode(*entry.second, mode);
}

void AnyModule::train(bool mode) const { set_mode(*state_, mode); }
bool AnyModule::is_training() const {
  return internal::Process::current().is_training(state_->number);
}

void AnyModule::zero_grad() const {
  for (const Parameter& parameter : parameters()) parameter.zero_grad();
}

void AnyModule::to(DType dtype, At at) const {
  for (const auto& named : {named_parameters(), named_buffers()}) {
    for (const auto& [name, parameter] : named) {
      if (is_float(parameter.dtype())) parameter.to(dtype, at);
    }
  }
}

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
