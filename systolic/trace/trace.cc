#include "systolic/trace/trace.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/device/device.h"
#include "systolic/trace/layer_scope.h"

namespace systolic::inline v0 {
namespace {

// Host constants up to this size become constants of an explicit program; larger ones are handed in
// when it runs.
constexpr int64_t inline_constant_elements = 64;
// A loop that never reads a value would grow its trace without bound: what there is is run when it
// has this many ops.
constexpr size_t implicit_op_budget = 20'000;

thread_local std::shared_ptr<Trace> current_trace;
thread_local std::shared_ptr<Trace> implicit_trace;

ir::Module empty_module(int64_t replicas) {
  ir::Module module;
  module.num_replicas = replicas;
  module.functions.emplace_back();
  return module;
}

}  // namespace

Trace::Trace(Kind kind, int64_t replicas)
    : kind_(kind),
      module_(empty_module(replicas)),
      builder_(module_.main(), &module_),
      frames_(1) {}

Trace& Trace::implicit() {
  if (!implicit_trace) implicit_trace = std::make_shared<Trace>(Kind::implicit);
  return *implicit_trace;
}

Trace& Trace::current() { return current_trace ? *current_trace : implicit(); }

void Trace::run_what_is_long() {
  if (current_trace || !implicit_trace) return;
  Trace& trace = *implicit_trace;
  const bool is_whole = trace.frames_.size() == 1 && trace.live_tapes_ == 0;
  if (is_whole && trace.function().body.ops.size() > implicit_op_budget) trace.flush();
}

TraceScope::TraceScope(std::shared_ptr<Trace> trace)
    : previous_(std::exchange(current_trace, std::move(trace))) {}
void TraceScope::go_on_in(std::shared_ptr<Trace> trace) { current_trace = std::move(trace); }
TraceScope::~TraceScope() { current_trace = std::move(previous_); }

ir::Builder& Trace::at(SourceLocation location) {
  const SourceLocation layer = LayerScope::location();
  builder_.location = layer.known() ? layer : location;
  builder_.layer_path = LayerScope::path();
  return builder_;
}

namespace {

// The op whose result the value is: of these, the last that has been appended.
const ir::Op* made_by(const std::vector<ir::Op>& ops, ir::ValueId value) {
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (std::find(op->results.begin(), op->results.end(), value) != op->results.end()) return &*op;
  }
  return nullptr;
}

// Whether an op's result has no integers but those of its operand.
bool keeps_integers(const ir::Op& op) {
  switch (op.code) {
    case ir::OpCode::broadcast_in_dim:
    case ir::OpCode::convert:
    case ir::OpCode::reshape:
    case ir::OpCode::transpose:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Trace::check_below(ir::Value value, const IntegerLimit& limit) {
  if (&builder_.block() != &function().body) return;
  const std::vector<ir::ValueId>& arguments = function().body.arguments;
  for (ir::ValueId id = value.id();;) {
    const auto argument = std::find(arguments.begin(), arguments.end(), id);
    if (argument != arguments.end()) {
      TraceInput& input = inputs_[static_cast<size_t>(argument - arguments.begin())];
      if (!input.limit || input.limit->below > limit.below) input.limit = limit;
      return;
    }
    const ir::Op* op = made_by(function().body.ops, id);
    if (op == nullptr || !keeps_integers(*op)) return;
    id = op->operands[0];
  }
}

ir::Value Trace::add_input(const ir::Type& type, TraceInput input, ir::Parameter parameter) {
  inputs_.push_back(std::move(input));
  return {builder_, function().add_argument(type, std::move(parameter))};
}

Tensor Trace::add_parameter(const ir::Type& type, ir::Parameter parameter) {
  TraceInput input;
  input.parameter = parameters_++;
  return tensor_of(add_input(type, std::move(input), std::move(parameter)));
}

Tensor Trace::add_fed(const ir::Type& type, ir::Parameter parameter, std::shared_ptr<Feed> feed,
                      size_t index) {
  TraceInput input;
  input.kind = TraceInput::Kind::feed;
  input.feed = std::move(feed);
  input.feed_index = index;
  return tensor_of(add_input(type, std::move(input), std::move(parameter)));
}

ir::Value Trace::capture(const TensorState& state) {
  const bool is_host = state.host.has_value();
  const void* key = is_host ? static_cast<const void*>(state.host->raw()) : state.buffer.get();
  const auto known = captured_.find(key);
  if (known != captured_.end() && function().type(known->second) == state.type) {
    return {builder_, known->second};
  }
  if (is_host && kind_ == Kind::explicit_ && state.host->size() <= inline_constant_elements) {
    const ir::Value constant = builder_.constant(*state.host);
    // One value for one Tensor, so that a tape finds it again; a region's constants end with it.
    if (frames_.size() == 1) captured_[key] = constant.id();
    return constant;
  }
  TraceInput input;
  ir::Parameter parameter;
  if (is_host) {
    input.kind = TraceInput::Kind::host;
    input.literal = *state.host;
    parameter.uniform = true;
  } else {
    input.kind = TraceInput::Kind::buffer;
    input.buffer = state.buffer;
    parameter.uniform = state.buffer->placement().kind != runtime::Placement::Kind::per_core;
  }
  const ir::Value value = add_input(state.type, std::move(input), std::move(parameter));
  captured_[key] = value.id();
  return value;
}

// A value of an earlier piece: its parameters are parameters here too, the rest it exports.
ir::Value Trace::take(Trace& earlier, const TensorState& state) {
  earlier.check_region(state, builder_.location);
  const auto [known, is_new] = taken_.try_emplace({&earlier, state.value}, ir::no_value);
  if (!is_new) return {builder_, known->second};
  const auto& arguments = earlier.function().body.arguments;
  const auto argument = std::find(arguments.begin(), arguments.end(), state.value);
  const auto position = static_cast<size_t>(argument - arguments.begin());
  TraceInput input;
  ir::Parameter parameter;
  if (argument != arguments.end() &&
      earlier.inputs_[position].kind == TraceInput::Kind::parameter) {
    input = earlier.inputs_[position];
    parameter = earlier.function().arguments[position];
  } else {
    input.kind = TraceInput::Kind::earlier;
    input.segment = segments_->index_of(earlier);
    input.exported = earlier.exported_.size();
    earlier.exported_.push_back(state.value);
  }
  known->second = add_input(state.type, std::move(input), std::move(parameter)).id();
  return {builder_, known->second};
}

void Trace::check_region(const TensorState& state, SourceLocation location) const {
  const bool open = std::any_of(frames_.begin(), frames_.end(),
                                [&](const Frame& frame) { return frame.id == state.region; });
  if (open) return;
  raise<InvalidArgument>(
      {.what = "this Tensor was made inside a branch or loop body that has ended",
       .hint = "return it from the function given to cond or while_loop",
       .location = location});
}

ir::Value Trace::value_of(const Tensor& tensor, SourceLocation location) {
  if (!tensor.valid()) {
    raise<InvalidArgument>({.what = "this Tensor holds nothing",
                            .hint = "give it a value first: a default-constructed Tensor has none",
                            .location = location});
  }
  const TensorState& state = *tensor.state();
  // A value of this trace stays one even when it has been run: a tape may walk through it.
  if (state.trace.get() == this) {
    check_region(state, location);
    return {builder_, state.value};
  }
  if (state.host || state.buffer) return capture(state);
  if (segments_ != nullptr && state.trace && state.trace->segments_ == segments_) {
    if (segments_->reaches(*this, *state.trace)) return take(*state.trace, state);
    raise<InvalidArgument>(
        {.what = "this Tensor was made in the body of a for_range that has ended",
         .hint = "assign it to a Variable in the body, and read that after the loop",
         .location = location});
  }
  // A pending value of this thread's implicit trace, used inside an explicit one: run it, then take
  // its buffer.
  if (!state.trace) raise_lost(state, location);
  if (state.trace.get() == implicit_trace.get() && kind_ == Kind::explicit_) {
    state.trace->flush(location);
    return capture(state);
  }
  if (state.trace->kind() == Kind::implicit) {
    raise<FailedPrecondition>({.what = "this Tensor waits to be computed on another thread",
                               .hint = "read it there first (literal()), then share it",
                               .location = location});
  }
  raise<FailedPrecondition>(
      {.what = "this Tensor belongs to a function that is no longer being traced",
       .hint = "return it from the function instead of keeping it in a variable outside",
       .location = location});
}

Tensor Trace::tensor_of(ir::Value value) {
  auto state = std::make_shared<TensorState>();
  state->type = value.type();
  state->trace = shared_from_this();
  state->value = value.id();
  state->region = frames_.back().id;
  state->core = DeviceScope::core();
  if (kind_ == Kind::implicit) live_.push_back(state);
  return Tensor(std::move(state));
}

void Trace::forget() {
  for (const auto& weak : live_) {
    if (const auto state = weak.lock()) state->trace.reset();
  }
  module_ = empty_module(1);
  builder_ = ir::Builder(module_.main(), &module_);
  inputs_.clear();
  captured_.clear();
  frames_.clear();
  frames_.resize(1);
  live_.clear();
  computed_.clear();
  stopped_.clear();
  recomputed_.clear();
  ++generation_;
}

}  // namespace systolic::inline v0
