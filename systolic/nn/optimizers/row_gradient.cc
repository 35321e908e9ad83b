#include "systolic/nn/optimizers/row_gradient.h"

#include <algorithm>

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/unique.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

const ir::Op* op_of(const ir::Block& block, ir::ValueId value) {
  const auto found = std::find_if(block.ops.rbegin(), block.ops.rend(), [&](const ir::Op& op) {
    return op.results.size() == 1 && op.results[0] == value;
  });
  return found == block.ops.rend() ? nullptr : &*found;
}

bool is_zero(const ir::Block& block, ir::ValueId value) {
  const ir::Op* op = op_of(block, value);
  if (op != nullptr && op->code == ir::OpCode::broadcast_in_dim) op = op_of(block, op->operands[0]);
  if (op == nullptr || op->code != ir::OpCode::constant) return false;
  const Literal& constant = op->get<ir::ConstantAttributes>().value;
  return constant.size() == 1 && is_float(constant.dtype()) && constant.number_at(0) == 0;
}

// Whole rows, numbered by the first axis, added.
bool adds_rows(const ir::Op& op, const Shape& table, const Shape& indices) {
  const auto& a = op.get<ir::ScatterAttributes>();
  const ir::Block& fold = op.regions.at(0);
  const bool adds = fold.ops.size() == 1 && fold.ops[0].code == ir::OpCode::add &&
                    fold.results == fold.ops[0].results;
  return adds && a.inserted_window_dims == ir::Axes{0} && a.input_batching_dims.empty() &&
         a.scatter_dims_to_operand_dims == ir::Axes{0} && a.index_vector_dim == indices.rank() &&
         static_cast<int>(a.update_window_dims.size()) == table.rank() - 1 &&
         std::is_sorted(a.update_window_dims.begin(), a.update_window_dims.end()) &&
         (a.update_window_dims.empty() || a.update_window_dims.front() == indices.rank());
}

}  // namespace

std::optional<RowGradient> row_gradient(const Tensor& gradient) {
  Trace& trace = Trace::current();
  const ir::Value value = trace.value_of(gradient, {});
  ir::Builder& builder = value.builder();
  const ir::Block& block = builder.block();
  const ir::Op* op = op_of(block, value.id());
  const Shape table = gradient.shape();
  if (op == nullptr || op->code != ir::OpCode::scatter || op->operands.size() != 3) return {};
  if (!adds_rows(*op, table, builder.type(op->operands[1]).shape)) return {};
  if (!is_zero(block, op->operands[0])) return {};
  const Tensor indices = trace.tensor_of(builder.value(op->operands[1]));
  const Tensor updates = trace.tensor_of(builder.value(op->operands[2]));
  const int64_t count = indices.size(), rows = table[0];
  if (count == 0) return {};
  const Tensor flat = cast(reshape(indices, {count}), DType::i32);
  RowGradient result;
  result.distinct = unique(flat, {.size = count, .fill_value = static_cast<double>(rows)});
  // Where each row of the table stands among them. What is in free places lies outside and is left
  // out.
  const Tensor places = scatter_add(zeros({rows}, DType::i32), result.distinct, range(count));
  result.positions = gather(places, flat);
  result.updates = reshape(updates, table.without(0).with_inserted(0, count));
  return result;
}

Tensor summed_rows(const RowGradient& gradient) {
  return scatter_add(zeros(gradient.updates.shape(), gradient.updates.dtype()), gradient.positions,
                     gradient.updates);
}

}  // namespace systolic::inline v0
