// gather, scatter and the dynamic slices. Where array and indices are both stacked the core axis
// becomes a batching axis.
#include "systolic/core/axes.h"
#include "systolic/passes/stack/boxes_of_cores.h"
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;
using ir::GatherAttributes;
using ir::Op;
using ir::OpCode;
using ir::ScatterAttributes;
using ir::Value;

namespace {

// Attributes of a gather from a stacked array, by stacked indices, or both.
GatherAttributes stacked_gather(GatherAttributes a, bool array, bool indices, int64_t cores) {
  a.offset_dims = shifted(a.offset_dims);
  if (indices) {
    ++a.index_vector_dim;
    a.start_indices_batching_dims = shifted(a.start_indices_batching_dims);
  }
  if (!array) return a;
  a.collapsed_slice_dims = shifted(a.collapsed_slice_dims);
  a.operand_batching_dims = shifted(a.operand_batching_dims);
  a.start_index_map = shifted(a.start_index_map);
  a.slice_sizes = prepended(indices ? 1 : cores, a.slice_sizes);
  if (indices) {
    a.operand_batching_dims = prepended(0, a.operand_batching_dims);
    a.start_indices_batching_dims = prepended(0, a.start_indices_batching_dims);
  } else {
    a.offset_dims = prepended(0, a.offset_dims);
  }
  a.indices_are_sorted = a.indices_are_sorted && !indices;
  return a;
}

ScatterAttributes stacked_scatter(ScatterAttributes a, bool indices) {
  a.update_window_dims = shifted(a.update_window_dims);
  a.inserted_window_dims = shifted(a.inserted_window_dims);
  a.input_batching_dims = shifted(a.input_batching_dims);
  a.scatter_dims_to_operand_dims = shifted(a.scatter_dims_to_operand_dims);
  if (indices) {
    ++a.index_vector_dim;
    a.scatter_indices_batching_dims = prepended(0, shifted(a.scatter_indices_batching_dims));
    a.input_batching_dims = prepended(0, a.input_batching_dims);
    a.indices_are_sorted = false;
  } else {
    a.update_window_dims = prepended(0, a.update_window_dims);
  }
  return a;
}

Value gather_value(Stacker& s, Value x, bool x_stacked, Value indices, bool indices_stacked,
                   const GatherAttributes& a) {
  return gather(x, indices, stacked_gather(a, x_stacked, indices_stacked, s.cores()));
}

// Start indices, [rank] or [cores, rank], of operands from `first` on.
Value start_vector(Stacker& s, const Op& op, size_t first, bool is_stacked) {
  std::vector<Value> parts;
  for (size_t i = first; i < op.operands.size(); ++i) {
    const Value start = is_stacked ? s.get_stacked(op.operands[i]) : s.get(op.operands[i]);
    parts.push_back(reshape(start, start.shape().with_inserted(start.rank(), 1)));
  }
  return concatenate(parts, is_stacked ? 1 : 0);
}

// Starts with a zero for the core axis in front.
std::vector<Value> starts_with_cores(Stacker& s, const Op& op, size_t first) {
  const ir::Type type = s.source_type(op.operands[first]);
  std::vector<Value> starts{s.builder().constant(Literal::zeros(type.dtype, {}))};
  for (size_t i = first; i < op.operands.size(); ++i) starts.push_back(s.get(op.operands[i]));
  return starts;
}

// A part of one array for each core, without a gather, where the parts lie in the cores' order.
std::optional<Value> parts_of_cores(Stacker& s, const Op& op) {
  if (s.stacked(op.operands[0])) return std::nullopt;
  std::vector<std::vector<int64_t>> starts;
  for (size_t i = 1; i < op.operands.size(); ++i) {
    const auto known = known_integers(s, op.operands[i]);
    if (!known) return std::nullopt;
    starts.push_back(*known);
  }
  return boxes_in_order(s.get(op.operands[0]), op.get<ir::DynamicSliceAttributes>().slice_sizes,
                        starts);
}

}  // namespace

void stack_gather(Stacker& s, const Op& op) {
  const ir::ValueId x = op.operands[0], indices = op.operands[1];
  s.set(op.results[0],
        gather_value(s, s.get(x), s.stacked(x), s.get(indices), s.stacked(indices),
                     op.get<GatherAttributes>()),
        true);
}

void stack_dynamic_slice(Stacker& s, const Op& op) {
  const ir::ValueId x = op.operands[0];
  const Axes& sizes = op.get<ir::DynamicSliceAttributes>().slice_sizes;
  if (!s.any_stacked(std::span(op.operands).subspan(1))) {
    if (sizes.empty()) return s.set(op.results[0], s.get(x), true);
    s.set(op.results[0],
          dynamic_slice(s.get(x), starts_with_cores(s, op, 1), prepended(s.cores(), sizes)), true);
    return;
  }
  if (const auto parts = parts_of_cores(s, op)) return s.set(op.results[0], *parts, true);
  // Each core has its own place: a gather of one slice for each.
  GatherAttributes a;
  a.offset_dims = a.start_index_map = axes_from(0, static_cast<int64_t>(sizes.size()));
  a.slice_sizes = sizes;
  s.set(op.results[0],
        gather_value(s, s.get(x), s.stacked(x), start_vector(s, op, 1, true), true, a), true);
}

void stack_dynamic_update_slice(Stacker& s, const Op& op) {
  const Value x = s.get_stacked(op.operands[0]), update = s.get_stacked(op.operands[1]);
  const Shape& shape = s.source_type(op.operands[0]).shape;
  if (op.operands.size() == 2) return s.set(op.results[0], update, true);
  if (!s.any_stacked(std::span(op.operands).subspan(2))) {
    s.set(op.results[0], dynamic_update_slice(x, update, starts_with_cores(s, op, 2)), true);
    return;
  }
  // Starts are moved so that the update lies within the array; scatter would drop it.
  const Shape& window = s.source_type(op.operands[1]).shape;
  std::vector<double> largest;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    largest.push_back(static_cast<double>(shape[axis] - window[axis]));
  }
  const Value starts = start_vector(s, op, 2, true);
  const Literal limits = Literal::from(largest, {shape.rank()}).convert(starts.dtype());
  const Value high = s.repeat(s.builder().constant(limits), s.cores());
  const Value low = s.builder().filled_like(starts, 0);
  ScatterAttributes a;
  a.update_window_dims = a.scatter_dims_to_operand_dims = axes_from(0, shape.rank());
  a.unique_indices = true;
  s.set(op.results[0],
        scatter(x, clamp(low, starts, high), update, stacked_scatter(a, true), std::nullopt), true);
}

void stack_scatter(Stacker& s, const Op& op) {
  const size_t count = op.operands.size() / 2;
  const ir::ValueId indices = op.operands[count];
  std::vector<Value> operands = s.get_all_stacked(std::span(op.operands).first(count));
  operands.push_back(s.get(indices));
  for (const Value& update : s.get_all_stacked(std::span(op.operands).subspan(count + 1))) {
    operands.push_back(update);
  }
  const std::vector<Value> results = s.builder().append(
      OpCode::scatter, operands, stacked_scatter(op.get<ScatterAttributes>(), s.stacked(indices)),
      s.copy_regions(op));
  for (size_t i = 0; i < results.size(); ++i) s.set(op.results[i], results[i], true);
}

}  // namespace passes
}  // namespace systolic::inline v0
