#include "systolic/passes/simplify_movement.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;
using ir::Op;
using ir::OpCode;
using ir::Value;
using Found = std::optional<Value>;

namespace {

bool is_counting(const Axes& axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool all_are(const Axes& values, int64_t wanted) {
  return std::all_of(values.begin(), values.end(), [&](int64_t x) { return x == wanted; });
}

Found simplify_reshape(Rewriter& r, const Op& op, const ir::Type& result) {
  const Value x = r.value(op.operands[0]);
  if (x.shape() == result.shape) return x;
  const Op* inner = r.producer(op.operands[0], OpCode::reshape);
  if (inner == nullptr) return std::nullopt;
  return reshape(r.value(inner->operands[0]), result.shape);
}

Found simplify_transpose(Rewriter& r, const Op& op) {
  const Axes& outer = op.get<ir::AxesAttributes>().axes;
  if (is_counting(outer)) return r.value(op.operands[0]);
  const Op* inner = r.producer(op.operands[0], OpCode::transpose);
  if (inner == nullptr) return std::nullopt;
  Axes both;
  for (int64_t axis : outer) {
    both.push_back(inner->get<ir::AxesAttributes>().axes[static_cast<size_t>(axis)]);
  }
  const Value x = r.value(inner->operands[0]);
  return is_counting(both) ? x : transpose(x, both);
}

// Broadcasts what a reshape only added axes of size 1 to: [c] -> [1, 1, 1, c] -> [b, h, w, c].
Found broadcast_without_reshape(Rewriter& r, const Op& op, const ir::Type& result) {
  const Op* reshape = r.producer(op.operands[0], OpCode::reshape);
  if (reshape == nullptr) return std::nullopt;
  const Value x = r.value(reshape->operands[0]);
  const Shape from = x.shape(), to = r.value(op.operands[0]).shape();
  Axes dimensions;
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] == 1) continue;
    const auto next = static_cast<int>(dimensions.size());
    if (next == from.rank() || from[next] != to[i]) return std::nullopt;
    dimensions.push_back(op.get<ir::BroadcastAttributes>().dimensions[static_cast<size_t>(i)]);
  }
  if (static_cast<int>(dimensions.size()) != from.rank()) return std::nullopt;
  return broadcast_in_dim(x, result.shape, dimensions);
}

Found simplify_broadcast(Rewriter& r, const Op& op, const ir::Type& result) {
  const Axes& outer = op.get<ir::BroadcastAttributes>().dimensions;
  const Value x = r.value(op.operands[0]);
  if (x.shape() == result.shape && is_counting(outer)) return x;
  const Op* inner = r.producer(op.operands[0], OpCode::broadcast_in_dim);
  if (inner == nullptr) return broadcast_without_reshape(r, op, result);
  Axes both;
  for (int64_t axis : inner->get<ir::BroadcastAttributes>().dimensions) {
    both.push_back(outer[static_cast<size_t>(axis)]);
  }
  return broadcast_in_dim(r.value(inner->operands[0]), result.shape, both);
}

Found simplify_reverse(Rewriter& r, const Op& op) {
  const Axes& axes = op.get<ir::AxesAttributes>().axes;
  if (axes.empty()) return r.value(op.operands[0]);
  const Op* inner = r.producer(op.operands[0], OpCode::reverse);
  if (inner == nullptr || inner->get<ir::AxesAttributes>().axes != axes) return std::nullopt;
  return r.value(inner->operands[0]);
}

bool keeps_all(const Op& op, const Shape& operand, const Shape& result) {
  switch (op.code) {
    case OpCode::slice:
      return operand == result && all_are(op.get<ir::SliceAttributes>().strides, 1);
    case OpCode::pad: {
      const auto& a = op.get<ir::PadAttributes>();
      return all_are(a.edge_padding_low, 0) && all_are(a.edge_padding_high, 0) &&
             all_are(a.interior_padding, 0);
    }
    case OpCode::concatenate:
      return op.operands.size() == 1;
    case OpCode::dynamic_slice:
      return operand == result;
    default:
      return false;
  }
}

}  // namespace

Found simplify_movement(Rewriter& r, const Op& op, const ir::Type& result) {
  switch (op.code) {
    case OpCode::reshape:
      return simplify_reshape(r, op, result);
    case OpCode::transpose:
      return simplify_transpose(r, op);
    case OpCode::broadcast_in_dim:
      return simplify_broadcast(r, op, result);
    case OpCode::reverse:
      return simplify_reverse(r, op);
    default:
      break;
  }
  if (op.operands.empty() || ir::info(op.code).family != ir::OpFamily::movement) {
    return std::nullopt;
  }
  const Value x = r.value(op.operands[0]);
  if (keeps_all(op, x.shape(), result.shape)) return x;
  return std::nullopt;
}

}  // namespace passes
}  // namespace systolic::inline v0
