#include "systolic/nn/layer_state.h"

#include <algorithm>
#include <exception>
#include <new>
#include <typeinfo>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/nn/layer_outputs.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {

std::string snake_case(std::string_view kind) {
  std::string result;
  for (size_t i = 0; i < kind.size(); ++i) {
    const bool upper = is_ascii_upper(kind[i]);
    const bool after_lower = i > 0 && is_ascii_lower(kind[i - 1]);
    const bool before_lower = i > 0 && i + 1 < kind.size() && is_ascii_lower(kind[i + 1]);
    if (upper && (after_lower || before_lower)) result += '_';
    result += ascii_lower(kind[i]);
  }
  return result;
}

std::string LayerState::wanted_name(const Layer& layer) const {
  return layer.name().empty() ? snake_case(layer.kind()) : layer.name();
}

std::string LayerState::free_name(const std::string& wanted) const {
  const auto taken = [&](const std::string& name) {
    return std::any_of(children.begin(), children.end(),
                       [&](const Child& child) { return child.name == name; });
  };
  if (!taken(wanted)) return wanted;
  for (int number = 1;; ++number) {
    const std::string numbered = str(wanted, "_", number);
    if (!taken(numbered)) return numbered;
  }
}

namespace {

// A layer that only this list still holds was a local of an earlier call: nobody can call it again,
// and the weights that it learned would be lost in silence.
void check_kept(const LayerState::Child& known, const LayerState& outer) {
  const bool only_listed =
      known.inline_turn < 0 && known.key == known.layer.state() && known.key.use_count() == 2;
  if (!only_listed) return;
  const std::string kind = known.layer.kind();
  raise<InvalidArgument>(
      {.what =
           str("its call makes a new ", kind, " each time, and the weights of the last are lost"),
       .wanted = "the same layer in all calls",
       .hint = str("make it a field, `Layer inner = ", kind, "{...};`, and call inner(x, context)"),
       .location = outer.spec->location()});
}

}  // namespace

LayerState::Child LayerState::child(const Layer& layer) {
  for (const Child& known : children) {
    if (known.key == layer.state()) return known;
  }
  for (const Child& known : children) {
    if (known.layer.kind() == layer.kind()) check_kept(known, *this);
  }
  children.push_back({free_name(wanted_name(layer)), layer, layer.state()});
  return children.back();
}

namespace {

std::vector<Tensor> in_compute_type(const std::vector<Tensor>& inputs, DType dtype,
                                    SourceLocation location) {
  std::vector<Tensor> result = inputs;
  for (Tensor& x : result) {
    if (is_float(x.dtype()) && x.dtype() != dtype) x = cast(Operand(x, location), dtype);
  }
  return result;
}

// The layer's own weights only: layers inside add theirs when they are called. Once for a layer
// that is called several times, and not of what does not train, as in Keras 3.
void add_regularizers(RootCall& call, const LayerState& state) {
  if (call.options.losses == nullptr || !state.trainable) return;
  if (std::ranges::count(call.penalized, &state) > 0) return;
  call.penalized.push_back(&state);
  for (const LayerState::Weight& weight : state.weights) {
    if (weight.regularizer.is_none() || !weight.variable.trainable()) continue;
    call.options.losses->push_back(weight.regularizer(weight.variable.value()));
  }
}

// The user_line of the layer whose call is traced, or of one that it is in.
thread_local SourceLocation outer_user_line;

class UserLineScope {
 public:
  explicit UserLineScope(SourceLocation line) : previous_(outer_user_line) {
    if (line.known()) outer_user_line = line;
  }
  ~UserLineScope() { outer_user_line = previous_; }
  UserLineScope(const UserLineScope&) = delete;
  UserLineScope& operator=(const UserLineScope&) = delete;

 private:
  SourceLocation previous_;
};

// What is thrown by the code of a layer, and is no Error, says which layer it was.
std::vector<Tensor> call_spec(const AnySpec& spec, const std::vector<Tensor>& inputs,
                              CallContext& context, SourceLocation location) {
  try {
    return spec.call(inputs, context);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    raise<FunctionFailed>(
        {.what = str("its call threw ", internal::type_name(typeid(error)), ": ", error.what()),
         .location = location});
  }
}

bool is_recomputed(const LayerState& state, const std::string& name) {
  if (!state.remat || state.spec->is_network() || state.remat->mode.is("activations")) return false;
  const std::vector<std::string>& names = state.remat->layer_names;
  return !state.remat->mode.is("list_of_layers") || std::ranges::count(names, name) > 0;
}

// What `spec` computes is computed again for gradients, where the layer was made so.
std::vector<Tensor> call_with_remat(const LayerState& state, const std::string& name,
                                    const std::vector<Tensor>& inputs, CallContext& context,
                                    SourceLocation location) {
  const internal::ActivationRemat activations(state.remat && state.remat->mode.is("activations"));
  if (!is_recomputed(state, name)) return call_spec(*state.spec, inputs, context, location);
  RecomputeScope scope;
  std::vector<Tensor> outputs = call_spec(*state.spec, inputs, context, location);
  if (state.remat->mode.is("larger_than")) {
    int64_t elements = 0;
    for (const Tensor& y : outputs) elements += y.valid() ? y.shape().elements() : 0;
    if (elements <= state.remat->output_size_threshold) scope.drop();
  }
  return outputs;
}

}  // namespace

std::vector<Tensor> call_layer(RootCall& call, const Layer& layer, const std::string& name,
                               const std::vector<Tensor>& inputs) {
  LayerState& state = *layer.state();
  const UserLineScope line(state.user_line);
  // A model's caller is at fault: the line of the call is named, not that where it was made.
  const SourceLocation location = outer_user_line.known()
                                      ? SourceLocation{outer_user_line.file, -outer_user_line.line}
                                      : state.spec->location();
  std::optional<LayerScope> scope;
  if (!name.empty()) scope.emplace(name, layer.kind(), location);
  CallContext context(call, state);
  std::vector<Tensor> given = inputs;
  if (state.spec->casts_inputs()) {
    given = in_compute_type(inputs, state.policy.compute_dtype(), location);
    for (size_t i = 0; i < given.size(); ++i) set_step_mask(given[i], step_mask_of(inputs[i]));
  }
  const std::vector<Tensor> outputs = call_with_remat(state, name, given, context, location);
  for (const Tensor& y : outputs) {
    if (y.valid()) continue;
    raise<InvalidArgument>({.what = "its call gave a Tensor that holds nothing",
                            .hint = "return what was computed: a default-constructed Tensor has "
                                    "no value",
                            .location = location});
  }
  // Each output has its input's mask, as in Keras.
  const size_t masked = state.spec->supports_masking() ? std::min(given.size(), outputs.size()) : 0;
  for (size_t i = 0; i < masked; ++i) set_step_mask(outputs[i], step_mask_of(given[i]));
  add_regularizers(call, state);
  note_layer_outputs(LayerScope::path(), outputs);
  return outputs;
}

std::vector<Tensor> call_root(const Layer& layer, const std::vector<Tensor>& inputs,
                              const CallOptions& options, bool infers_shapes) {
  LayerState& state = *layer.state();
  RootCall call{.options = options, .root = &state, .infers_shapes = infers_shapes};
  const std::string name = state.spec->is_network() ? std::string() : state.wanted_name(layer);
  return call_layer(call, layer, name, inputs);
}

namespace {

Variable copy_of(const Variable& variable) {
  const VariableState& state = *variable.state();
  // One that has not been used yet has no value: its initializer is copied.
  auto initial = state.initializer
                     ? state.initializer
                     : [literal = variable.literal()]() -> Literal { return literal; };
  Variable copy(variable.dtype(), variable.shape(), std::move(initial), state.options);
  copy.state()->rows_over_cores = state.rows_over_cores;
  copy.state()->constraint = state.constraint;
  return copy;
}

}  // namespace

std::shared_ptr<LayerState> clone_state(const std::shared_ptr<LayerState>& state, CloneMap& done) {
  const auto known = done.find(state.get());
  if (known != done.end()) return known->second;
  auto copy = std::make_shared<LayerState>();
  done[state.get()] = copy;
  copy->spec = state->spec->clone();
  copy->name = state->name;
  copy->user_line = state->user_line;
  copy->policy = state->policy;
  copy->remat = state->remat;
  copy->trainable = state->trainable;
  copy->adds_batch_loss_in_training = state->adds_batch_loss_in_training;
  copy->adds_batch_loss = state->adds_batch_loss;
  copy->metric_names = state->metric_names;
  copy->weight_seed = state->weight_seed;
  copy->adapter = state->adapter;  // the handle by which its child is found
  for (const LayerState::Weight& weight : state->weights) {
    copy->weights.push_back({weight.name, copy_of(weight.variable), weight.regularizer});
  }
  if (state->random_state.valid()) copy->random_state = copy_of(state->random_state);
  for (const LayerState::Child& child : state->children) {
    copy->children.push_back(
        {child.name, Layer(clone_state(child.layer.state(), done)), child.key, child.inline_turn});
  }
  return copy;
}

}  // namespace systolic::inline v0
