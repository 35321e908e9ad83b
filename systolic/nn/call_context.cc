#include "systolic/nn/call_context.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/layer_state.h"
#include "systolic/trace/integer_limit.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace {

// A step's draws start this far after the last one's: no layer draws as much at once.
constexpr uint64_t counters_per_step = uint64_t{1} << 40;

Variable make_weight(LayerState& layer, std::string_view name, const Shape& shape,
                     const WeightOptions& options, DType dtype) {
  if (!layer.weight_seed) layer.weight_seed = next_seed();
  const std::string path =
      *LayerScope::path() == '\0' ? std::string(name) : str(LayerScope::path(), "/", name);
  const uint64_t seed = mixed_seed(*layer.weight_seed, name);
  auto initial = [initializer = options.initializer, shape, seed, dtype] {
    return initializer(shape, seed).convert(dtype);
  };
  Variable made(dtype, shape, std::move(initial), {.name = path, .trainable = options.trainable});
  if (!options.constraint.is_none()) made.state()->constraint = options.constraint;
  return made;
}

void check_scalar(const char* what, const Tensor& value, SourceLocation location) {
  if (value.rank() == 0) return;
  raise<InvalidArgument>({.what = str(what, " of a Tensor of shape ", value.shape()),
                          .wanted = "a scalar",
                          .hint = "fold it with sum or mean",
                          .location = location});
}

// Floats too, of layers that take them for integers.
void check_below(const Literal& values, int64_t limit, SourceLocation location) {
  for (int64_t i = 0; i < values.size(); ++i) {
    const double value = values.number_at(i);
    if (value >= 0 && value < static_cast<double>(limit) && value == std::floor(value)) continue;
    raise_beyond_limit(
        str("value ", value, " among integers of shape ", values.shape(), ", element ", i), limit,
        location);
  }
}

}  // namespace

CallContext::CallContext(RootCall& call, LayerState& layer) : call_(call), layer_(layer) {}

bool CallContext::trainable() const { return layer_.trainable; }
DType CallContext::compute_dtype() const { return layer_.policy.compute_dtype(); }
DType CallContext::variable_dtype() const { return layer_.policy.variable_dtype(); }

Variable CallContext::add_weight(std::string_view name, const Shape& shape, WeightOptions options) {
  for (const LayerState::Weight& weight : layer_.weights) {
    if (weight.name != name) continue;
    if (weight.variable.shape() == shape) return weight.variable;
    raise<InvalidArgument>(
        {.what = str("this input needs weight '", name, "' of shape ", shape),
         .got = str("shape ", weight.variable.shape(), " when the layer was built"),
         .hint = "give the layer inputs of one size, or make another layer",
         .location = layer_.spec->location()});
  }
  const DType dtype = options.dtype.value_or(variable_dtype());
  const Variable made = make_weight(layer_, name, shape, options, dtype);
  layer_.weights.push_back({std::string(name), made, options.regularizer});
  return made;
}

Tensor CallContext::weight(std::string_view name, const Shape& shape, WeightOptions options) {
  const SourceLocation location = layer_.spec->location();
  const Tensor value = add_weight(name, shape, std::move(options)).value(location);
  const bool same = value.dtype() == compute_dtype() || !is_float(value.dtype());
  return same ? value : cast(Operand(value, location), compute_dtype());
}

const Variable& random_state_of(LayerState& root) {
  if (!root.random_state.valid()) {
    const Literal first = Literal::of<uint64_t>({next_seed(), uint64_t{0}});
    root.random_state =
        Variable(DType::u64, Shape{2}, [first] { return first; },
                 {.name = "random_state", .trainable = false, .role = ir::Role::other_state});
  }
  return root.random_state;
}

Tensor CallContext::random_key() {
  // A layer that is called twice, or draws twice, draws other numbers.
  const std::string path = LayerScope::path();
  const uint64_t use = mixed_seed(call_.draws[path]++, path);
  if (call_.options.random_key) return fold_in(*call_.options.random_key, use);
  if (!call_.key) {
    Variable state = random_state_of(*call_.root);
    call_.key = state.value();
    state.assign_add(Tensor(Literal::of<uint64_t>({uint64_t{0}, counters_per_step})));
  }
  return fold_in(*call_.key, use);
}

void CallContext::note_fold_of_rows() {
  if (saw_mask_) return;
  (training() ? layer_.adds_batch_loss_in_training : layer_.adds_batch_loss) = true;
}

void CallContext::add_loss(const Tensor& loss) {
  check_scalar("add_loss", loss, layer_.spec->location());
  note_fold_of_rows();
  if (call_.options.losses != nullptr) {
    call_.options.losses->push_back(cast(loss, DType::f32));
  }
}

void CallContext::add_metric(const Tensor& value, std::string_view name) {
  check_scalar("add_metric", value, layer_.spec->location());
  note_fold_of_rows();
  std::vector<std::string>& known = layer_.metric_names;
  if (std::find(known.begin(), known.end(), name) == known.end()) known.emplace_back(name);
  if (call_.options.metrics != nullptr)
    call_.options.metrics->emplace_back(name, cast(value, DType::f32));
}

void CallContext::check_integers_below(const Tensor& x, int64_t limit) {
  if (call_.options.integer_ranges != nullptr) {
    call_.options.integer_ranges->push_back({x, limit, LayerScope::path()});
    return;
  }
  const TensorState& state = *x.state();
  if (state.host) return check_below(*state.host, limit, layer_.spec->location());
  const IntegerLimit wanted{limit, LayerScope::path()};
  if (state.buffer && state.buffer->bounds())
    return check_limit(wanted, *state.buffer->bounds(), layer_.spec->location());
  if (state.trace == nullptr) return;
  Trace& trace = Trace::current();
  trace.check_below(trace.value_of(x, layer_.spec->location()), wanted);
}

Tensor CallContext::adapted(const Tensor& x, const Tensor& kernel, const Tensor& product) {
  if (!layer_.adapter) return product;
  return call(*layer_.adapter, {x, kernel, product}, false).at(0);
}

Layer CallContext::inside(const Layer& layer) { return layer_.child(layer).layer; }

std::vector<Tensor> CallContext::call(const Layer& layer, const std::vector<Tensor>& inputs,
                                      bool is_inline) {
  if (!is_inline) {
    const LayerState::Child child = layer_.child(layer);
    return call_layer(call_, child.layer, child.name, inputs);
  }
  // By name where one is given, else by kind and turn.
  const std::string wanted = layer_.wanted_name(layer);
  int turn = 0;
  const auto of_kind = [&](const auto& entry) { return entry.first == wanted; };
  const auto found = std::find_if(inline_turns_.begin(), inline_turns_.end(), of_kind);
  if (found == inline_turns_.end()) {
    inline_turns_.emplace_back(wanted, 0);
  } else {
    turn = layer.name().empty() ? ++found->second : 0;
  }
  for (const LayerState::Child& child : layer_.children) {
    if (child.inline_turn == turn && layer_.wanted_name(child.layer) == wanted) {
      const Layer known = child.layer;
      const std::string name = child.name;
      return call_layer(call_, known, name, inputs);
    }
  }
  // Part of this layer: its types too, where it does not say otherwise.
  if (!layer.state()->spec->dtype().is_set()) layer.state()->policy = layer_.policy;
  layer_.children.push_back({layer_.free_name(wanted), layer, layer.state(), turn});
  const LayerState::Child made = layer_.children.back();
  return call_layer(call_, made.layer, made.name, inputs);
}

}  // namespace systolic::inline v0
