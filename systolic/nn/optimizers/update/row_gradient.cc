#include "systolic/nn/optimizers/update/row_gradient.h"

#include <algorithm>
#include <vector>

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/sort_with_positions.h"
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

// The rows and updates of one scatter into zeros.
std::optional<RowUpdates> updates_of(Trace& trace, ir::Builder& builder, const ir::Op& op,
                                     const Shape& table) {
  if (op.code != ir::OpCode::scatter || op.operands.size() != 3) return {};
  if (!adds_rows(op, table, builder.type(op.operands[1]).shape)) return {};
  if (!is_zero(builder.block(), op.operands[0])) return {};
  const Tensor indices = trace.tensor_of(builder.value(op.operands[1]));
  const Tensor updates = trace.tensor_of(builder.value(op.operands[2]));
  const int64_t count = indices.size();
  return RowUpdates{cast(reshape(indices, {count}), DType::i32),
                    reshape(updates, table.without(0).with_inserted(0, count))};
}

constexpr size_t most_reads = 256;

// A table that is read in several places has the sum of their gradients.
std::vector<ir::Op> terms_of(const ir::Block& block, ir::ValueId gradient) {
  std::vector<ir::Op> terms;
  std::vector<ir::ValueId> waiting{gradient};
  while (!waiting.empty()) {
    const ir::Op* op = op_of(block, waiting.back());
    waiting.pop_back();
    if (op == nullptr || terms.size() == most_reads) return {};
    if (op->code == ir::OpCode::add) {
      waiting.push_back(op->operands[1]);
      waiting.push_back(op->operands[0]);
    } else {
      terms.push_back(*op);
    }
  }
  return terms;
}

// The first place of the run of equal rows that each place is in: places at which a run begins,
// and 0 elsewhere, made to rise by doubling steps.
Tensor run_begins(const Tensor& begins, int64_t count) {
  Tensor result = begins;
  for (int64_t step = 1; step < count; step *= 2) {
    result = maximum(result, pad(slice(result, {0}, {count - step}), {{step, 0}}));
  }
  return result;
}

}  // namespace

std::optional<RowUpdates> row_updates(const Tensor& gradient) {
  Trace& trace = Trace::current();
  const ir::Value value = trace.value_of(gradient, {});
  ir::Builder& builder = value.builder();
  std::vector<Tensor> rows, updates;
  for (const ir::Op& op : terms_of(builder.block(), value.id())) {
    const auto found = updates_of(trace, builder, op, gradient.shape());
    if (!found) return {};
    rows.push_back(found->rows);
    updates.push_back(found->updates);
  }
  if (rows.empty()) return {};
  RowUpdates all{rows.front(), updates.front()};
  if (rows.size() > 1) all = {concat(rows, 0), concat(updates, 0)};
  return all;
}

RowGradient sum_rows(const RowUpdates& all, int64_t height) {
  const int64_t count = all.rows.size();
  const Sorted sorted = sort_with_positions(all.rows, 0, false);
  Tensor is_first = fill({1}, 1, DType::pred);
  if (count > 1) {
    const Tensor differs =
        slice(sorted.values, {1}, {-1}) != slice(sorted.values, {0}, {count - 1});
    is_first = concat({is_first, differs}, 0);
  }
  const Tensor places = run_begins(where(is_first, range(count), 0), count);
  const Tensor in_order = gather(all.updates, sorted.positions);
  return {.rows = where(is_first, sorted.values, height),
          .sums = scatter_add(zeros(in_order.shape(), in_order.dtype()), places, in_order)};
}

}  // namespace systolic::inline v0
