#include "backends/cpu/fuse/row_reader.h"

#include <algorithm>
#include <numeric>

#include "backends/cpu/rewrite/fold_kind.h"

namespace systolic::inline v0 {
namespace cpu {

const ir::Op* RowReader::in_block(const ir::Op* op) const {
  const bool inside =
      op != nullptr && op >= block_.ops.data() && op < block_.ops.data() + block_.ops.size();
  return inside ? op : nullptr;
}

const ir::Op* RowReader::made_by(ir::ValueId value, ir::OpCode code) const {
  const ir::Op* op = in_block(planner_.definition(value));
  return op != nullptr && op->code == code ? op : nullptr;
}

const ir::Op* RowReader::read_once(ir::ValueId value, ir::OpCode code) const {
  const ir::Op* op = made_by(value, code);
  return op != nullptr && is_read_once(*op) ? op : nullptr;
}

bool RowReader::folds_rows(const ir::Op& op, kernels::ReduceKind kind, double init) const {
  if (op.code != ir::OpCode::reduce || !is_plain_reduction(planner_, op)) return false;
  if (fold_kind(op.regions[0]) != kind) return false;
  const std::optional<Literal> first = planner_.splat(op.operands[1]);
  const int rank = planner_.type(op.operands[0]).shape.rank();
  return first && first->number_at(0) == init &&
         op.get<ir::AxesAttributes>().axes == ir::Axes{rank - 1};
}

bool RowReader::sums_columns(const ir::Op& op) const {
  if (op.code != ir::OpCode::reduce || !is_plain_reduction(planner_, op)) return false;
  if (fold_kind(op.regions[0]) != kernels::ReduceKind::sum) return false;
  const std::optional<Literal> first = planner_.splat(op.operands[1]);
  if (!first || is_complex(first->dtype()) || first->number_at(0) != 0) return false;
  ir::Axes axes = op.get<ir::AxesAttributes>().axes;
  std::sort(axes.begin(), axes.end());
  const int rank = planner_.type(op.operands[0]).shape.rank();
  ir::Axes all_but_the_last(static_cast<size_t>(std::max(0, rank - 1)));
  std::iota(all_but_the_last.begin(), all_but_the_last.end(), 0);
  return rank > 0 && axes == all_but_the_last;
}

std::optional<RowReader::WithNumber> RowReader::with_number(const ir::Op& op) const {
  for (size_t i : {1, 0}) {
    const std::optional<Literal> splat = planner_.splat(op.operands[i]);
    if (splat) return WithNumber{op.operands[1 - i], static_cast<float>(splat->number_at(0))};
  }
  return std::nullopt;
}

std::optional<RowReader::ScaledSum> RowReader::scaled_sum(const ir::Op& multiply) const {
  const std::optional<WithNumber> scaled = with_number(multiply);
  if (!scaled) return std::nullopt;
  const ir::Op* source = in_block(planner_.definition(scaled->other));
  if (source != nullptr && source->code == ir::OpCode::reshape && is_read_once(*source)) {
    source = made_by(source->operands[0], ir::OpCode::reduce);
  }
  const bool sums = source != nullptr && is_read_once(*source) &&
                    folds_rows(*source, kernels::ReduceKind::sum, 0);
  return sums ? std::optional(ScaledSum{source, scaled->number}) : std::nullopt;
}

bool RowReader::is_read_alone(ir::ValueId value) const {
  const ir::Op* op = planner_.definition(value);
  while (op != nullptr && is_view_op(op->code) && is_read_once(*op)) {
    op = op->operands.empty() ? nullptr : planner_.definition(op->operands[0]);
  }
  return op == nullptr || is_read_once(*op);
}

const ir::Op* RowReader::maker(ir::ValueId value) const {
  const ir::Op* op = planner_.definition(value);
  while (op != nullptr && is_view_op(op->code) && !op->operands.empty()) {
    op = planner_.definition(op->operands[0]);
  }
  return op;
}

const ir::Op* RowReader::first_reader(const ir::Op& op) const {
  const ir::Op* end = block_.ops.data() + block_.ops.size();
  const ir::Op* found =
      std::find_if(&op + 1, end, [&](const ir::Op& other) { return reads(other, op.results[0]); });
  return found == end ? nullptr : found;
}

const ir::Op* RowReader::first_reader_by(const ir::Op& op, ir::OpCode code) const {
  const ir::Op* end = block_.ops.data() + block_.ops.size();
  const ir::Op* found = std::find_if(&op + 1, end, [&](const ir::Op& other) {
    return other.code == code && reads(other, op.results[0]);
  });
  return found == end ? nullptr : found;
}

const ir::Op* RowReader::repeated_in_rows(ir::ValueId value, const Shape& shape) const {
  const ir::Op* broadcast = planner_.definition(value);
  if (broadcast == nullptr || broadcast->code != ir::OpCode::broadcast_in_dim) return nullptr;
  const ir::Op* source = planner_.definition(broadcast->operands[0]);
  const Shape& narrow = planner_.type(broadcast->operands[0]).shape;
  const auto& axes = broadcast->get<ir::BroadcastAttributes>().dimensions;
  const int rank = shape.rank();
  if (narrow.rank() != rank && narrow.rank() != rank - 1) return nullptr;
  if (narrow.rank() == rank && narrow[-1] != 1) return nullptr;
  for (int i = 0; i < narrow.rank(); ++i) {
    if (axes[static_cast<size_t>(i)] != i) return nullptr;
    if (i < rank - 1 && narrow[i] != shape[i]) return nullptr;
  }
  // Folds leave the axis out; a reshape of as many elements as there are rows brings it back.
  if (source != nullptr && source->code == ir::OpCode::reshape) {
    source = planner_.definition(source->operands[0]);
  }
  return in_block(source);
}

ir::ValueId RowReader::repeated_for_rows(ir::ValueId value, const Shape& shape) const {
  const ir::Op* broadcast = planner_.definition(value);
  if (broadcast == nullptr || broadcast->code != ir::OpCode::broadcast_in_dim) return ir::no_value;
  const ir::ValueId columns = broadcast->operands[0];
  const auto& axes = broadcast->get<ir::BroadcastAttributes>().dimensions;
  const bool fits = planner_.type(value).shape == shape &&
                    planner_.type(columns).shape == Shape{shape[-1]} &&
                    axes == ir::Axes{shape.rank() - 1};
  return fits ? columns : ir::no_value;
}

bool reads(const ir::Op& op, ir::ValueId value) {
  return std::count(op.operands.begin(), op.operands.end(), value) > 0;
}

}  // namespace cpu
}  // namespace systolic::inline v0
