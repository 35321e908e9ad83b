// Gradients of gather and scatter, each the other's transpose, with the dimension numbers renamed.
//
// gather clamps a start index whose slice would lie outside; scatter leaves out windows that do not
// lie inside as a whole. So the gradient of a gather clamps its indices first, and the gradient of
// a scatter is zero for what was left out.
#include <algorithm>

#include "systolic/autodiff/rules/formula.h"
#include "systolic/autodiff/rules/indexing.h"
#include "systolic/core/axes.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Axes;
using ir::Builder;
using ir::Direction;
using ir::GatherAttributes;
using ir::OpCode;
using ir::ScatterAttributes;
using ir::Type;
using ir::Value;

namespace {

ScatterAttributes transposed(const GatherAttributes& gather) {
  return {.update_window_dims = gather.offset_dims,
          .inserted_window_dims = gather.collapsed_slice_dims,
          .input_batching_dims = gather.operand_batching_dims,
          .scatter_indices_batching_dims = gather.start_indices_batching_dims,
          .scatter_dims_to_operand_dims = gather.start_index_map,
          .index_vector_dim = gather.index_vector_dim,
          .indices_are_sorted = gather.indices_are_sorted,
          .unique_indices = false};
}

GatherAttributes transposed(const ScatterAttributes& scatter, const Shape& operand,
                            const Shape& updates) {
  GatherAttributes gather{.offset_dims = scatter.update_window_dims,
                          .collapsed_slice_dims = scatter.inserted_window_dims,
                          .operand_batching_dims = scatter.input_batching_dims,
                          .start_indices_batching_dims = scatter.scatter_indices_batching_dims,
                          .start_index_map = scatter.scatter_dims_to_operand_dims,
                          .index_vector_dim = scatter.index_vector_dim,
                          .slice_sizes = Axes(static_cast<size_t>(operand.rank()), 1),
                          .indices_are_sorted = scatter.indices_are_sorted};
  size_t window = 0;
  for (int axis = 0; axis < operand.rank(); ++axis) {
    if (has_axis(scatter.inserted_window_dims, axis)) continue;
    if (has_axis(scatter.input_batching_dims, axis)) continue;
    const auto update_axis = static_cast<int>(scatter.update_window_dims[window++]);
    gather.slice_sizes[static_cast<size_t>(axis)] = updates[update_axis];
  }
  return gather;
}

int64_t largest(DType dtype) {
  const int bits = dtype == DType::i4 || dtype == DType::u4 ? 4 : 8 * byte_width(dtype);
  const int value_bits = is_signed_integer(dtype) ? bits - 1 : std::min(bits, 63);
  return value_bits >= 63 ? INT64_MAX : (int64_t{1} << value_bits) - 1;
}

// Beside each index the number that belongs to its axis of the operand.
Value beside(Value indices, const GatherAttributes& gather, const std::vector<int64_t>& numbers) {
  const auto count = static_cast<int64_t>(numbers.size());
  const Literal literal =
      Literal::from(numbers, count == 1 ? Shape{} : Shape{count}).convert(indices.dtype());
  const Value row = indices.builder().constant(literal);
  return broadcast_in_dim(row, indices.shape(),
                          count == 1 ? Axes{} : Axes{gather.index_vector_dim});
}

// The largest start index at which the slice lies inside, beside each index.
Value last_starts(Value indices, const GatherAttributes& gather, Shape operand) {
  std::vector<int64_t> limits;
  for (int64_t axis : gather.start_index_map) {
    const int64_t room =
        operand[static_cast<int>(axis)] - gather.slice_sizes[static_cast<size_t>(axis)];
    limits.push_back(std::min(std::max<int64_t>(0, room), largest(indices.dtype())));
  }
  return beside(indices, gather, limits);
}

Value clamped(Value indices, const GatherAttributes& gather, Shape operand) {
  return clamp(zeros_like(indices), indices, last_starts(indices, gather, operand));
}

// Whether each element of the updates was written: whether its window lies inside.
Value written(Value indices, const GatherAttributes& gather, Shape operand, Shape updates) {
  Value inside = equal(clamped(indices, gather, operand), indices);
  if (gather.index_vector_dim < indices.rank()) {
    inside = reduce(inside, OpCode::and_, {gather.index_vector_dim});
  }
  Axes batch;
  for (int axis = 0; axis < updates.rank(); ++axis) {
    if (!has_axis(gather.offset_dims, axis)) batch.push_back(axis);
  }
  return broadcast_in_dim(inside, updates, batch);
}

// When several updates write one element, one of them stays. Each writes its number, and reads
// which stayed.
Value survived(Value operand, Value indices, Value updates, const ScatterAttributes& scatter_at,
               const GatherAttributes& gather_at) {
  Builder& builder = operand.builder();
  const Shape shape = updates.shape(), whole = operand.shape();
  const Value number = reshape(builder.iota({DType::i32, Shape{shape.elements()}}, 0), shape);
  const Value last =
      scatter(builder.filled(DType::i32, whole, -1), indices, number, scatter_at, std::nullopt);
  return equal(gather(last, indices, gather_at), number);
}

bool replaces(const ir::Block& region) {
  return region.ops.empty() && region.arguments.size() == 2 && region.results.size() == 1 &&
         region.results[0] == region.arguments[1];
}

}  // namespace

void differentiate_gather(GradientRule& r) {
  if (!r.needs(0)) return;
  const auto attributes = r.attributes<GatherAttributes>();
  const Value indices = clamped(r.x(1), attributes, r.x().shape());
  r.grad(0, scatter(zeros_like(r.x()), indices, r.g(), transposed(attributes), OpCode::add));
}

void differentiate_scatter(GradientRule& r) {
  if (r.operands() != 3) r.none("it writes several arrays at once", "scatter one array at a time");
  const bool adds = ir::fold_op(r.op().regions[0]) == OpCode::add;
  const bool replacing = replaces(r.op().regions[0]);
  if (!adds && !replacing) {
    r.none("its updates are neither added to the elements nor do they replace them",
           "write the update as a scatter that adds");
  }
  const auto attributes = r.attributes<ScatterAttributes>();
  const Value operand = r.x(0), indices = r.x(1), updates = r.x(2);
  const GatherAttributes gather_at = transposed(attributes, operand.shape(), updates.shape());
  if (r.needs(0)) {
    r.grad(0,
           adds ? r.g() : scatter(r.g(), indices, zeros_like(updates), attributes, std::nullopt));
  }
  if (!r.needs(2)) return;
  Value counts = written(indices, gather_at, operand.shape(), updates.shape());
  if (replacing && !attributes.unique_indices) {
    const Value kept = survived(operand, indices, updates, attributes, gather_at);
    counts = binary(OpCode::and_, counts, kept);
  }
  const Value read = gather(r.g(), indices, gather_at);
  r.grad(2, select(counts, read, zeros_like(read)));
}

}  // namespace autodiff
}  // namespace systolic::inline v0
