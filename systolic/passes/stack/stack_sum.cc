// Sums over cores that are taken inside the contraction that makes the terms.
//
// all_reduce(dot(x, dy)), each core with its own batch, is one dot over cores and batch: the core
// axis is contracted with the batch. The sum moves through what is linear on the way: multiplying
// by a uniform value, adding, converting between floats, moving elements.
//
// all_reduce(scatter(zeros, rows)), the gradient of an embedding, is one scatter of all cores'
// rows.
#include "systolic/base/error.h"
#include "systolic/ir/region.h"
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;

namespace {

constexpr int deepest = 64;

bool is_zero_constant(const Op* producer) {
  if (producer == nullptr || producer->code != OpCode::constant) return false;
  const Literal& value = producer->get<ir::ConstantAttributes>().value;
  return value.size() == 1 && value.number_at(0) == 0;
}

// Ops that only move elements: the sum goes through their first operand.
bool moves(OpCode code) {
  return code == OpCode::reshape || code == OpCode::transpose || code == OpCode::slice ||
         code == OpCode::reverse || code == OpCode::broadcast_in_dim;
}

}  // namespace

// With one side uniform the other is summed before the contraction: not in small floats, where that
// sum would be rounded to few digits.
bool Stacker::may_sum_operands(const Op& contraction) const {
  const ValueId lhs = contraction.operands[0], rhs = contraction.operands[1];
  const DType dtype = source_.type(lhs).dtype;
  return (stacked(lhs) && stacked(rhs)) || !is_float(dtype) || byte_width(dtype) >= 4;
}

// A scatter that sums into zeros. Where one core's indices are all cores', the updates are summed
// first.
bool Stacker::adds_to_zeros(const Op& scatter) const {
  const bool sums = scatter.operands.size() == 3 && stacked(scatter.operands[2]) &&
                    scatter.get<ir::ScatterAttributes>().input_batching_dims.empty() &&
                    ir::fold_op(scatter.regions[0]) == OpCode::add;
  if (!sums) return false;
  const Op* table = producers_[static_cast<size_t>(scatter.operands[0])];
  while (table != nullptr && table->code == OpCode::broadcast_in_dim) {
    table = producers_[static_cast<size_t>(table->operands[0])];
  }
  return is_zero_constant(table);
}

bool Stacker::reaches_contraction(ValueId value, int depth) const {
  const Op* op = producers_[static_cast<size_t>(value)];
  const DType dtype = source_.type(value).dtype;
  // A value that is read elsewhere exists for each core anyway.
  if (op == nullptr || depth > deepest || uses_[static_cast<size_t>(value)] != 1) return false;
  if (!stacked(value) || dtype == DType::pred || op->operands.empty()) return false;
  const ValueId first = op->operands[0];
  const ValueId second = op->operands.size() > 1 ? op->operands[1] : first;
  switch (op->code) {
    case OpCode::dot_general:
      return may_sum_operands(*op);
    case OpCode::convolution: {
      const auto& a = op->get<ir::ConvolutionAttributes>();
      return a.feature_group_count == 1 && a.batch_group_count == 1 && may_sum_operands(*op);
    }
    case OpCode::reduce:
      return op->operands.size() == 2 && ir::fold_op(op->regions[0]) == OpCode::add &&
             is_zero_constant(producers_[static_cast<size_t>(second)]) &&
             source_.type(first).dtype == dtype;
    case OpCode::scatter:
      return adds_to_zeros(*op);
    case OpCode::convert:
      return is_float(source_.type(first).dtype) && is_float(dtype) &&
             reaches_contraction(first, depth + 1);
    case OpCode::negate:
      return reaches_contraction(first, depth + 1);
    case OpCode::divide:
      return is_float(dtype) && !stacked(second) && reaches_contraction(first, depth + 1);
    case OpCode::multiply:
      return (!stacked(second) && reaches_contraction(first, depth + 1)) ||
             (!stacked(first) && reaches_contraction(second, depth + 1));
    case OpCode::add:
    case OpCode::subtract:
      return reaches_contraction(first, depth + 1) || reaches_contraction(second, depth + 1);
    default:
      return moves(op->code) && reaches_contraction(first, depth + 1);
  }
}

std::optional<Value> Stacker::merged_sum(ValueId value) {
  if (!reaches_contraction(value, 0)) return std::nullopt;
  return sum(value);
}

namespace {

Value summed_dot(Value lhs, Value rhs, ir::DotAttributes a, DType dtype) {
  a.lhs_batching_dimensions = shifted(a.lhs_batching_dimensions);
  a.rhs_batching_dimensions = shifted(a.rhs_batching_dimensions);
  a.lhs_contracting_dimensions = prepended(0, shifted(a.lhs_contracting_dimensions));
  a.rhs_contracting_dimensions = prepended(0, shifted(a.rhs_contracting_dimensions));
  return dot_general(lhs, rhs, std::move(a), dtype);
}

// Updates and indices have the cores as their first axis, which are then further rows of updates.
Value summed_scatter(Value zeros, Value indices, Value updates, ir::ScatterAttributes a) {
  a.update_window_dims = shifted(a.update_window_dims);
  ++a.index_vector_dim;
  a.indices_are_sorted = a.unique_indices = false;
  return scatter(zeros, indices, updates, std::move(a), OpCode::add);
}

}  // namespace

Value Stacker::sum(ValueId value) {
  const ir::Type type = source_.type(value);
  if (!stacked(value)) return get(value) * static_cast<double>(cores_);
  if (!reaches_contraction(value, 0)) return reduce_sum(get(value), {0});
  const Op& op = *producers_[static_cast<size_t>(value)];
  const ValueId first = op.operands[0], second = op.operands.size() > 1 ? op.operands[1] : first;
  const bool both = stacked(first) && stacked(second);
  switch (op.code) {
    case OpCode::dot_general:
      if (both) {
        return summed_dot(get(first), get(second), op.get<ir::DotAttributes>(), type.dtype);
      }
      return dot_general(stacked(first) ? sum(first) : get(first),
                         stacked(second) ? sum(second) : get(second), op.get<ir::DotAttributes>(),
                         type.dtype);
    case OpCode::convolution:
      if (both) {
        return *summed_convolution(get(first), get(second), op.get<ir::ConvolutionAttributes>(),
                                   type);
      }
      return builder_.append_one(
          OpCode::convolution,
          {stacked(first) ? sum(first) : get(first), stacked(second) ? sum(second) : get(second)},
          op.attributes, {}, {{type.dtype, {}}});
    case OpCode::reduce:
      return reduce_sum(get(first), prepended(0, shifted(op.get<ir::AxesAttributes>().axes)));
    case OpCode::scatter: {
      const auto& a = op.get<ir::ScatterAttributes>();
      if (stacked(second)) {
        return summed_scatter(get(first), get(second), get(op.operands[2]), a);
      }
      return scatter(get(first), get(second), sum(op.operands[2]), a, OpCode::add);
    }
    case OpCode::convert:
      return ir::convert(sum(first), type.dtype);
    case OpCode::negate:
      return -sum(first);
    case OpCode::divide:
      return sum(first) / get(second);
    case OpCode::multiply:
      return stacked(first) ? sum(first) * get(second) : get(first) * sum(second);
    case OpCode::add:
      return sum(first) + sum(second);
    case OpCode::subtract:
      return sum(first) - sum(second);
    default:
      return builder_.append_one(op.code, {sum(first)}, op.attributes, {}, {type});
  }
}

}  // namespace passes
}  // namespace systolic::inline v0
