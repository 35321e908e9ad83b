#include "systolic/trace/tensor.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/runtime/known_to_host.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/device/device.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

const TensorState& checked(const std::shared_ptr<TensorState>& state) {
  if (!state) {
    raise<InvalidArgument>(
        {.what = "this Tensor holds nothing",
         .hint = "give it a value first: a default-constructed Tensor has none"});
  }
  return *state;
}

}  // namespace

Tensor::Tensor(Literal value) : state_(std::make_shared<TensorState>()) {
  // Borrowed memory may change before the value is used.
  if (value.dtype() != DType::string && !value.owns_memory()) value.mutable_raw();
  state_->type = {value.dtype(), value.shape()};
  state_->host = std::move(value);
}

Tensor::Tensor(const Variable& variable, SourceLocation location)
    : Tensor(variable.value(location)) {}

DType Tensor::dtype() const { return checked(state_).type.dtype; }
const Shape& Tensor::shape() const { return checked(state_).type.shape; }

Literal Tensor::literal(SourceLocation location) const {
  const TensorState& state = checked(state_);
  if (state.host) return *state.host;
  if (!state.buffer && state.trace && state.trace->kind() == Trace::Kind::explicit_) {
    raise_read_while_tracing("a Tensor", location);
  }
  return buffer_of(*this, location)->to_literal();
}

std::string Tensor::device() const { return core_name(checked(state_).core); }

namespace {

// The line that made a value of an open trace, where it is in the main block.
SourceLocation made_at(const TensorState& state) {
  for (const ir::Op& op : state.trace->function().body.ops) {
    if (std::find(op.results.begin(), op.results.end(), state.value) != op.results.end())
      return op.location;
  }
  return {};
}

}  // namespace

Tensor::operator bool() const {
  const TensorState& state = checked(state_);
  if (state.trace && state.trace->kind() == Trace::Kind::explicit_) {
    raise<FailedPrecondition>(
        {.what = "an `if` or `while` asks for the truth value of a Tensor while a program is "
                 "traced: it "
                 "is not known before the program runs",
         .wanted = "a decision that the device can make",
         .hint = "write cond(t > 0, [&] { return a; }, [&] { return b; }), where(t > 0, a, b), or "
                 "an indicator: x / (1 + cast(t > 0, DType::f32))",
         .location = made_at(state)});
  }
  if (size() != 1) {
    raise<InvalidArgument>({.what = str("the truth value of a Tensor of shape ", shape()),
                            .wanted = "a scalar",
                            .hint = "fold it first: any(t) or all(t)"});
  }
  return literal().number_at(0) != 0;
}

void raise_lost(const TensorState& state, SourceLocation location) {
  raise<FailedPrecondition>(
      {.what = str("this Tensor could not be computed: the program it was part of failed: ",
                   state.lost_in),
       .location = location});
}

void raise_read_while_tracing(std::string_view of_what, SourceLocation location) {
  raise<FailedPrecondition>(
      {.what = str("the value of ", of_what, " is read while `function` traces the program"),
       .got = "no value: the program has not run yet",
       .hint = "return the Tensor and read it outside, or use cond(...) and while_loop(...) to "
               "decide on the device; to debug, compile({.run_eagerly = true}) or "
               "run_functions_eagerly(true)",
       .location = location});
}

Tensor tensor_of(runtime::BufferPtr buffer) {
  auto state = std::make_shared<TensorState>();
  state->type = buffer->type();
  state->buffer = std::move(buffer);
  return Tensor(std::move(state));
}

runtime::BufferPtr buffer_of(const Tensor& tensor, SourceLocation location) {
  const TensorState& state = checked(tensor.state());
  if (state.host) return runtime::known_to_host(*default_client(), *state.host);
  if (!state.buffer && state.trace.get() == &Trace::implicit()) Trace::implicit().flush(location);
  if (!state.buffer && !state.lost_in.empty()) raise_lost(state, location);
  if (!state.buffer) {
    raise<FailedPrecondition>({.what = "this Tensor has no value yet",
                               .got = "one of a program that is being traced, or of another thread",
                               .hint = "return it from the function, and read it there",
                               .location = location});
  }
  if (state.buffer->deleted()) {
    raise<FailedPrecondition>({.what = "this Tensor's memory is gone: it was donated, or the TPU "
                                       "system was initialized again",
                               .location = location});
  }
  return state.buffer;
}

std::string to_string(const Tensor& tensor) {
  if (!tensor.valid()) return "Tensor()";
  const TensorState& state = *tensor.state();
  const std::string type =
      str("shape=", tensor.shape(), ", dtype=", info(tensor.dtype()).numpy_name, ")");
  if (state.trace && state.trace->kind() == Trace::Kind::explicit_)
    return str("Tensor(<symbolic>, ", type);
  // An error names the op's line: of what prints it no line is known.
  const std::string values = to_string(tensor.literal(SourceLocation{}));
  return str(tensor.rank() > 0 ? "Tensor(\n" : "Tensor(", values, ", ", type);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace systolic::inline v0
