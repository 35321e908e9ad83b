#include "backends/cpu/rewrite/parts.h"

#include <algorithm>

#include "systolic/core/axes.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace cpu {

using ir::Axes;
using ir::OpCode;
using ir::Value;
using ir::ValueId;
using AxesInResult = std::optional<std::vector<int>>;

Shape Box::shape() const {
  std::vector<int64_t> dims;
  for (size_t i = 0; i < begin.size(); ++i) dims.push_back(end[i] - begin[i]);
  return Shape(dims);
}

bool Box::is_all_of(const Shape& all) const { return *this == whole(all); }

Box whole(const Shape& shape) {
  return {Axes(static_cast<size_t>(shape.rank()), 0), shape.to_vector()};
}

Box hull(const Box& a, const Box& b) {
  Box both = a;
  for (size_t i = 0; i < a.begin.size(); ++i) {
    both.begin[i] = std::min(a.begin[i], b.begin[i]);
    both.end[i] = std::max(a.end[i], b.end[i]);
  }
  return both;
}

namespace {

std::vector<int> none(int rank) { return std::vector<int>(static_cast<size_t>(rank), -1); }

std::vector<int> same(int rank) {
  std::vector<int> axes(static_cast<size_t>(rank));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(i);
  return axes;
}

// Axes of one size with as many elements outside of them.
std::vector<int> reshape_axes(const Shape& from, const Shape& to) {
  std::vector<int> axes = none(from.rank());
  int64_t outside = 1, outside_to = 1;
  int j = 0;
  for (int i = 0; i < from.rank(); ++i) {
    while (j < to.rank() && (outside_to < outside || (to[j] == 1 && from[i] != 1))) {
      outside_to *= to[j++];
    }
    if (j < to.rank() && outside_to == outside && to[j] == from[i]) {
      axes[static_cast<size_t>(i)] = j;
      outside_to *= to[j++];
    }
    outside *= from[i];
  }
  return axes;
}

std::vector<int> dot_axes(const ir::Function& function, const ir::Op& op, size_t operand) {
  const auto& dot = op.get<ir::DotAttributes>();
  const int rank = function.type(op.operands[operand]).shape.rank();
  const Axes& batch = operand == 0 ? dot.lhs_batching_dimensions : dot.rhs_batching_dimensions;
  const Axes& summed =
      operand == 0 ? dot.lhs_contracting_dimensions : dot.rhs_contracting_dimensions;
  std::vector<int> axes = none(rank);
  int next = 0;
  for (int64_t axis : batch) axes[static_cast<size_t>(axis)] = next++;
  if (operand == 1) {
    const Shape& left = function.type(op.operands[0]).shape;
    next += left.rank() - static_cast<int>(dot.lhs_batching_dimensions.size() +
                                           dot.lhs_contracting_dimensions.size());
  }
  for (int64_t axis : remaining_axes(rank, joined_axes(batch, summed))) {
    axes[static_cast<size_t>(axis)] = next++;
  }
  return axes;
}

AxesInResult reduce_axes(const ir::Function& function, const ir::Op& op, size_t operand) {
  const int rank = function.type(op.operands[operand]).shape.rank();
  const std::optional<OpCode> fold = ir::fold_op(op.regions[0]);
  const bool plain =
      op.operands.size() == 2 && fold &&
      function.type(op.regions[0].results[0]).dtype == function.type(op.operands[0]).dtype;
  if (!plain) return std::nullopt;
  std::vector<int> axes = none(rank);
  if (operand == 1) return axes;
  int next = 0;
  for (int64_t axis : remaining_axes(rank, op.get<ir::AxesAttributes>().axes)) {
    axes[static_cast<size_t>(axis)] = next++;
  }
  return axes;
}

}  // namespace

AxesInResult axes_in_result(const ir::Function& function, const ir::Op& op, size_t operand) {
  const Shape& from = function.type(op.operands[operand]).shape;
  if (op.results.size() != 1) return std::nullopt;
  const Shape& to = function.type(op.results[0]).shape;
  if (ir::is_elementwise(op.code) || (op.code == OpCode::bitcast_convert && from == to)) {
    return from.rank() == to.rank() ? same(from.rank()) : none(from.rank());
  }
  switch (op.code) {
    case OpCode::broadcast_in_dim: {
      std::vector<int> axes = none(from.rank());
      for (int i = 0; i < from.rank(); ++i) {
        const auto axis =
            static_cast<int>(op.get<ir::BroadcastAttributes>().dimensions[static_cast<size_t>(i)]);
        if (from[i] == to[axis]) axes[static_cast<size_t>(i)] = axis;
      }
      return axes;
    }
    case OpCode::transpose: {
      std::vector<int> axes = none(from.rank());
      const Axes& order = op.get<ir::AxesAttributes>().axes;
      for (size_t i = 0; i < order.size(); ++i) {
        axes[static_cast<size_t>(order[i])] = static_cast<int>(i);
      }
      return axes;
    }
    case OpCode::reshape:
      return reshape_axes(from, to);
    case OpCode::dot_general:
      return dot_axes(function, op, operand);
    case OpCode::reduce:
      return reduce_axes(function, op, operand);
    default:
      return std::nullopt;
  }
}

Value rebuild(ir::Builder& builder, const ir::Op& op, std::span<const Value> operands,
              const ir::Type& type) {
  builder.location = op.location;
  builder.layer_path = op.layer_path;
  std::vector<ir::Block> regions;
  if (op.code == OpCode::reduce) {
    regions.push_back(builder.fold_region(*ir::fold_op(op.regions[0]), type.dtype));
  }
  return builder.append(op.code, operands, op.attributes, std::move(regions), {type}).at(0);
}

void Slicer::note(const ir::Op& op) {
  if (op.results.size() != 1) return;
  const ValueId result = op.results[0];
  if (op.code == OpCode::constant) {
    const Literal& literal = op.get<ir::ConstantAttributes>().value;
    const bool zero =
        literal.size() == 1 && is_float(literal.dtype()) && literal.number_at(0) == 0.0;
    if (zero) zeros_[result] = true;
  } else if (op.code == OpCode::broadcast_in_dim) {
    broadcasts_[result] = {op.operands[0], op.get<ir::BroadcastAttributes>().dimensions};
    if (is_zero(op.operands[0])) zeros_[result] = true;
  } else if (op.code == OpCode::pad && is_zero(op.operands[1])) {
    const auto& pad = op.get<ir::PadAttributes>();
    const Value inner = builder_.value(op.operands[0]);
    Box place{pad.edge_padding_low, pad.edge_padding_low};
    for (size_t i = 0; i < place.begin.size(); ++i) {
      if (pad.edge_padding_low[i] < 0 || pad.edge_padding_high[i] < 0 ||
          pad.interior_padding[i] != 0) {
        return;
      }
      place.end[i] += inner.shape()[static_cast<int>(i)];
    }
    padded_[result] = {inner, place};
  }
}

const Slicer::Padded* Slicer::padded(ValueId value) const {
  const auto found = padded_.find(value);
  return found == padded_.end() ? nullptr : &found->second;
}

Value Slicer::part(Value x, const Box& box) {
  if (box.is_all_of(x.shape())) return x;
  const auto [found, fresh] = made_.try_emplace({x.id(), box}, ir::no_value);
  if (fresh) {
    const Value made = make_part(x, box);
    if (is_zero(x.id())) zeros_[made.id()] = true;
    found->second = made.id();
  }
  return builder_.value(found->second);
}

Value Slicer::make_part(Value x, const Box& box) {
  if (const Padded* padded = this->padded(x.id())) {
    const Box& place = padded->place;
    bool inside = true;
    Box inner = box;
    for (size_t i = 0; i < box.begin.size(); ++i) {
      inside = inside && box.begin[i] >= place.begin[i] && box.end[i] <= place.end[i];
      inner.begin[i] -= place.begin[i];
      inner.end[i] -= place.begin[i];
    }
    if (inside) return part(padded->inner, inner);
  }
  const auto broadcast = broadcasts_.find(x.id());
  if (broadcast == broadcasts_.end()) return ir::slice(x, box.begin, box.end);
  const auto [from, axes] = broadcast->second;
  const Value source = builder_.value(from);
  Box needed = whole(source.shape());
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    if (source.shape()[static_cast<int>(i)] != x.shape()[static_cast<int>(axis)]) continue;
    needed.begin[i] = box.begin[axis];
    needed.end[i] = box.end[axis];
  }
  const Axes dimensions = axes;
  const Value smaller = ir::broadcast_in_dim(part(source, needed), box.shape(), dimensions);
  broadcasts_[smaller.id()] = {smaller.builder().block().ops.back().operands[0], dimensions};
  return smaller;
}

}  // namespace cpu
}  // namespace systolic::inline v0
