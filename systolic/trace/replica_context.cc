#include "systolic/trace/replica_context.h"

#include <utility>

#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

thread_local ReplicaContext current_context;

bool between_cores() { return current_context.per_core && current_context.replicas > 1; }

Tensor reduced(const Tensor& x, ir::OpCode code, SourceLocation location) {
  if (!between_cores()) return x;
  Trace& trace = Trace::current();
  trace.at(location);
  return trace.tensor_of(ir::all_reduce(trace.value_of(x, location), code));
}

}  // namespace

const ReplicaContext& replica_context() { return current_context; }

ReplicaContextScope::ReplicaContextScope(ReplicaContext context)
    : previous_(std::exchange(current_context, context)) {}
ReplicaContextScope::~ReplicaContextScope() { current_context = previous_; }

Tensor all_reduce_sum(const Tensor& x, SourceLocation location) {
  return reduced(x, ir::OpCode::add, location);
}

Tensor all_reduce_mean(const Tensor& x, SourceLocation location) {
  if (!between_cores()) return x;
  return Operand(reduced(x, ir::OpCode::add, location), location) /
         Operand(static_cast<double>(current_context.replicas), location);
}

Tensor all_reduce_max(const Tensor& x, SourceLocation location) {
  return reduced(x, ir::OpCode::maximum, location);
}

Tensor all_gather(const Tensor& x, int axis, SourceLocation location) {
  if (!between_cores()) return x;
  Trace& trace = Trace::current();
  trace.at(location);
  const int positive = axis < 0 ? axis + x.rank() : axis;
  return trace.tensor_of(
      ir::all_gather(trace.value_of(x, location), positive, current_context.replicas));
}

Tensor replica_id(SourceLocation location) {
  Trace& trace = Trace::current();
  ir::Builder& builder = trace.at(location);
  if (!between_cores()) return trace.tensor_of(builder.constant(Literal::scalar<int32_t>(0)));
  return trace.tensor_of(ir::convert(ir::replica_id(builder), DType::i32));
}

}  // namespace systolic::inline v0
