#include "systolic/trace/variable.h"

#include <numeric>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/replica_context.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

std::recursive_mutex& variables_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

namespace {

Literal initial_value(const VariableState& variable, SourceLocation location) {
  Literal value = variable.initializer();
  const ir::Type given{value.dtype(), value.shape()};
  if (given == variable.type) return value;
  raise<InvalidArgument>({.what = str("the initializer of variable '", variable.options.name,
                                      "' gave ", to_string(given)),
                          .wanted = to_string(variable.type),
                          .location = location});
}

// The whole value on every core, or the rows of each core on it where the variable is cut.
runtime::BufferPtr placed_on_cores(const VariableState& variable, const Literal& value) {
  const runtime::ClientPtr client = default_client();
  runtime::Placement placement;
  if (const auto sharding = variable.sharding(client->cores()))
    placement = {.kind = runtime::Placement::Kind::sharded, .sharding = *sharding};
  return client->from_host(value, placement);
}

}  // namespace

std::optional<ir::Sharding> VariableState::sharding(int64_t cores) const {
  if (!rows_over_cores || type.shape.rank() == 0) return std::nullopt;
  const int64_t tiles = std::gcd(type.shape[0], cores);
  if (tiles < 2) return std::nullopt;
  return ir::Sharding::along(0, type.shape.rank(), tiles);
}

void VariableState::hold(runtime::BufferPtr value) {
  const std::lock_guard lock(variables_mutex());
  initializer = nullptr;
  buffer = std::move(value);
  lost_in.clear();
}

runtime::BufferPtr VariableState::ready(SourceLocation location) {
  const std::lock_guard lock(variables_mutex());
  if (!buffer) {
    if (!initializer) {
      raise<FailedPrecondition>(
          {.what = str("variable '", options.name, "' is read while a program updates it"),
           .hint = "read it when the step has returned",
           .location = location});
    }
    buffer = placed_on_cores(*this, initial_value(*this, location));
    initializer = nullptr;
  }
  if (!lost_in.empty()) {
    raise<FailedPrecondition>(
        {.what = str("variable '", options.name,
                     "' lost its value: it was being updated when this failed: ", lost_in),
         .hint = "load the last checkpoint, or set() the variable",
         .location = location});
  }
  if (buffer->deleted()) {
    raise<FailedPrecondition>(
        {.what = str("variable '", options.name,
                     "' lived on a TPU system that has been initialized again"),
         .hint = "make models and variables after initialize_tpu_system",
         .location = location});
  }
  return buffer;
}

Variable::Variable(const Tensor& initial, VariableOptions options, SourceLocation location)
    : state_(std::make_shared<VariableState>()) {
  state_->type = {initial.dtype(), initial.shape()};
  state_->options = std::move(options);
  const std::shared_ptr<TensorState>& value = initial.state();
  if (value->host) {
    state_->initializer = [literal = *value->host] { return literal; };
  } else {
    // A copy: the variable's memory is updated in place, the Tensor's must not be.
    state_->buffer = default_client()->from_host(initial.literal(location));
  }
}

Variable::Variable(DType dtype, Shape shape, std::function<Literal()> initializer,
                   VariableOptions options)
    : state_(std::make_shared<VariableState>()) {
  state_->type = {dtype, std::move(shape)};
  state_->options = std::move(options);
  state_->initializer = std::move(initializer);
}

VariableState& Variable::checked() const { return *checked_handle(); }

const std::shared_ptr<VariableState>& Variable::checked_handle() const {
  if (state_) return state_;
  raise<InvalidArgument>({.what = "this Variable holds nothing",
                          .hint = "give it a value first: a default-constructed one has none"});
}

const std::string& Variable::name() const { return checked().options.name; }
bool Variable::trainable() const { return checked().options.trainable; }
void Variable::set_trainable(bool trainable) { checked().options.trainable = trainable; }
DType Variable::dtype() const { return checked().type.dtype; }
const Shape& Variable::shape() const { return checked().type.shape; }

Tensor Variable::value(SourceLocation location) const {
  Trace& trace = Trace::current();
  return trace.tensor_of(trace.read(checked_handle(), location));
}

namespace {

// Inside strategy.run the cores' values become one, as the variable's aggregation says.
ir::Value aggregated(const Variable& variable, ir::Value value, SourceLocation location) {
  if (!replica_context().per_core) return value;
  Trace& trace = Trace::current();
  switch (variable.state()->options.aggregation) {
    case Aggregation::none:
      return value;
    case Aggregation::sum:
      return trace.value_of(all_reduce_sum(trace.tensor_of(value), location), location);
    case Aggregation::mean:
      return trace.value_of(all_reduce_mean(trace.tensor_of(value), location), location);
  }
  return value;
}

ir::Value checked_value(const Variable& variable, const Operand& operand) {
  Trace& trace = Trace::current();
  trace.at(operand.location);
  const Operand like(variable.value(operand.location), operand.location);
  ir::Value value = operand_value(trace, operand, &like);
  if (value.shape().rank() == 0 && variable.shape().rank() > 0) {
    value = ir::broadcast_to(value, variable.shape());
  }
  if (!(value.type() == variable.state()->type)) {
    raise<InvalidArgument>(
        {.what = str("assigning ", to_string(value.type()), " to variable '", variable.name(), "'"),
         .wanted = to_string(variable.state()->type),
         .hint = "cast or reshape the value first",
         .location = operand.location});
  }
  return value;
}

}  // namespace

const Variable& Variable::assign(Operand value) const {
  const ir::Value checked = checked_value(*this, value);
  Trace::current().assign(checked_handle(), aggregated(*this, checked, value.location));
  return *this;
}

const Variable& Variable::assign_add(Operand value) const {
  Trace& trace = Trace::current();
  const ir::Value change = aggregated(*this, checked_value(*this, value), value.location);
  trace.assign(checked_handle(), trace.read(checked_handle(), value.location) + change);
  return *this;
}

const Variable& Variable::assign_sub(Operand value) const {
  Trace& trace = Trace::current();
  const ir::Value change = aggregated(*this, checked_value(*this, value), value.location);
  trace.assign(checked_handle(), trace.read(checked_handle(), value.location) - change);
  return *this;
}

Literal Variable::literal(SourceLocation location) const {
  if (Trace::current().kind() == Trace::Kind::explicit_)
    raise_read_while_tracing(str("variable '", name(), "'"), location);
  Trace::implicit().flush(location);
  return checked().ready(location)->to_literal();
}

void Variable::set(const Literal& value, SourceLocation location) const {
  if (value.dtype() != dtype() || !(value.shape() == shape())) {
    raise<InvalidArgument>({.what = str("setting variable '", name(), "' to ",
                                        to_string(ir::Type{value.dtype(), value.shape()})),
                            .wanted = to_string(checked().type),
                            .location = location});
  }
  Trace::implicit().flush(location);
  // With a tape open the implicit trace still knows the old value: the new one is an assignment to
  // it.
  if (Trace::implicit().live_tapes() > 0) {
    assign(Operand(Tensor(value), location));
    return;
  }
  checked().hold(placed_on_cores(checked(), value));
}

}  // namespace systolic::inline v0
