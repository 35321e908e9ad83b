// Shape rules of the ops that move elements: broadcast, concatenate, slices, pad, reshape, reverse,
// transpose.
#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

const Type& requested_type(const InferInput& input, std::string_view label) {
  if (input.requested.size() != 1) {
    raise_constraint(input, label, "no result type is asked for", "one");
  }
  return input.requested[0];
}

}  // namespace

std::vector<Type> infer_broadcast_in_dim(const InferInput& input) {
  const Type& x = input.operands[0];
  const Axes& dimensions = attributes_of<BroadcastAttributes>(input).dimensions;
  const Type& result = requested_type(input, "broadcast_in_dim_c1");
  check_same_dtype(input, "broadcast_in_dim_c1", result, x);
  check_size(input, "broadcast_in_dim_c2", "broadcast_dimensions", dimensions.size(),
             x.shape.rank());
  check_range(input, "broadcast_in_dim_c3", "broadcast_dimensions", dimensions,
              result.shape.rank());
  check_unique(input, "broadcast_in_dim_c4", "broadcast_dimensions", dimensions);
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const int to = static_cast<int>(dimensions[static_cast<size_t>(axis)]);
    const int64_t size = x.shape[axis];
    if (size == 1 || size == result.shape[to]) continue;
    raise_constraint(input, "broadcast_in_dim_c5",
                     str("axis ", axis, " of ", to_string(x), " has size ", size, ", axis ", to,
                         " of the result ", to_string(result), " has size ", result.shape[to]),
                     "equal sizes, or 1");
  }
  return {result};
}

std::vector<Type> infer_concatenate(const InferInput& input) {
  if (input.operands.empty()) {
    raise_constraint(input, "concatenate_c3", "there are no inputs", "at least one");
  }
  const Type& first = input.operands[0];
  const int64_t dimension = attributes_of<ConcatenateAttributes>(input).dimension;
  check_range(input, "concatenate_c4", "dimension", {dimension}, first.shape.rank());
  const int axis = static_cast<int>(dimension);
  Type result = first;
  for (size_t i = 1; i < input.operands.size(); ++i) {
    const Type& x = input.operands[i];
    check_same_dtype(input, "concatenate_c1", x, first);
    Shape shape = x.shape;
    if (shape.rank() == first.shape.rank()) shape.set(axis, first.shape[axis]);
    if (!(shape == first.shape)) {
      raise_constraint(input, "concatenate_c2",
                       str("input ", i, " is ", to_string(x), ", input 0 is ", to_string(first)),
                       str("equal sizes along all axes but ", dimension));
    }
    result.shape.set(axis, saturated(__int128{result.shape[axis]} + x.shape[axis]));
  }
  return {result};
}

namespace {

// Operands from `first` on: scalars of one integer type, one for each axis of x.
void check_starts(const InferInput& input, size_t first, std::string_view count_label,
                  std::string_view type_label) {
  const Type& x = input.operands[0];
  check_size(input, count_label, "start_indices", input.operands.size() - first, x.shape.rank());
  for (size_t i = first; i < input.operands.size(); ++i) {
    const Type& start = input.operands[i];
    if (start.shape.rank() != 0 || !is_integer(start.dtype)) {
      raise_constraint(input, type_label, str("start index ", i - first, " is ", to_string(start)),
                       "an integer scalar");
    }
    check_same_type(input, type_label, start, input.operands[first]);
  }
}

}  // namespace

std::vector<Type> infer_dynamic_slice(const InferInput& input) {
  if (input.operands.empty()) {
    raise_constraint(input, "dynamic_slice_c2", "there is no operand", "one");
  }
  const Type& x = input.operands[0];
  const Axes& sizes = attributes_of<DynamicSliceAttributes>(input).slice_sizes;
  check_starts(input, 1, "dynamic_slice_c2", "dynamic_slice_c3");
  check_size(input, "dynamic_slice_c2", "slice_sizes", sizes.size(), x.shape.rank());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] >= 0 && sizes[i] <= x.shape[static_cast<int>(i)]) continue;
    raise_constraint(
        input, "dynamic_slice_c4",
        str("slice_sizes [", join(sizes), "] for operand ", to_string(x), ", axis ", i),
        "sizes within the operand");
  }
  return {{x.dtype, Shape(sizes)}};
}

std::vector<Type> infer_dynamic_update_slice(const InferInput& input) {
  if (input.operands.size() < 2) {
    raise_constraint(input, "dynamic_update_slice_i2", "there is no update", "operand and update");
  }
  const Type &x = input.operands[0], &update = input.operands[1];
  check_same_dtype(input, "dynamic_update_slice_c2", update, x);
  if (update.shape.rank() != x.shape.rank()) {
    raise_constraint(input, "dynamic_update_slice_c3",
                     str("update is ", to_string(update), ", operand ", to_string(x)),
                     "equal ranks");
  }
  check_starts(input, 2, "dynamic_update_slice_c4", "dynamic_update_slice_c5");
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    if (update.shape[axis] <= x.shape[axis]) continue;
    raise_constraint(input, "dynamic_update_slice_c6",
                     str("update is ", to_string(update), ", operand ", to_string(x)),
                     "an update within the operand");
  }
  return {x};
}

std::vector<Type> infer_pad(const InferInput& input) {
  const Type& x = input.operands[0];
  const PadAttributes& attributes = attributes_of<PadAttributes>(input);
  check_same_dtype(input, "pad_c1", input.operands[1], x);
  check_scalar(input, "pad_i2", "padding_value", input.operands[1]);
  const int rank = x.shape.rank();
  check_size(input, "pad_c2", "edge_padding_low", attributes.edge_padding_low.size(), rank);
  check_size(input, "pad_c2", "edge_padding_high", attributes.edge_padding_high.size(), rank);
  check_size(input, "pad_c2", "interior_padding", attributes.interior_padding.size(), rank);
  check_at_least(input, "pad_c3", "interior_padding", attributes.interior_padding, 0);
  Type result = x;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    const __int128 inside =
        __int128{std::max<int64_t>(x.shape[axis] - 1, 0)} * attributes.interior_padding[i];
    const __int128 size =
        inside + x.shape[axis] + attributes.edge_padding_low[i] + attributes.edge_padding_high[i];
    if (size < 0) {
      raise_constraint(
          input, "pad_c4",
          str("axis ", axis, " of ", to_string(x), " would get size ", static_cast<int64_t>(size)),
          "0 or more", "cut off less with negative padding");
    }
    result.shape.set(axis, saturated(size));
  }
  return {result};
}

std::vector<Type> infer_reshape(const InferInput& input) {
  const Type& x = input.operands[0];
  const Type& result = requested_type(input, "reshape_c2");
  check_same_dtype(input, "reshape_c1", result, x);
  if (result.shape.elements() != x.shape.elements()) {
    raise_constraint(input, "reshape_c2",
                     str("from ", to_string(x), " with ", x.shape.elements(), " elements to ",
                         to_string(result), " with ", result.shape.elements()),
                     "as many elements");
  }
  return {result};
}

std::vector<Type> infer_reverse(const InferInput& input) {
  const Axes& axes = attributes_of<AxesAttributes>(input).axes;
  check_unique(input, "reverse_c2", "dimensions", axes);
  check_range(input, "reverse_c3", "dimensions", axes, input.operands[0].shape.rank());
  return {input.operands[0]};
}

std::vector<Type> infer_slice(const InferInput& input) {
  const Type& x = input.operands[0];
  const SliceAttributes& attributes = attributes_of<SliceAttributes>(input);
  const int rank = x.shape.rank();
  check_size(input, "slice_c2", "start_indices", attributes.start_indices.size(), rank);
  check_size(input, "slice_c2", "limit_indices", attributes.limit_indices.size(), rank);
  check_size(input, "slice_c2", "strides", attributes.strides.size(), rank);
  check_at_least(input, "slice_c4", "strides", attributes.strides, 1);
  Type result = x;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t start = attributes.start_indices[i], limit = attributes.limit_indices[i];
    if (start < 0 || start > limit || limit > x.shape[axis]) {
      raise_constraint(input, "slice_c3",
                       str("axis ", axis, " of ", to_string(x), " cut from ", start, " to ", limit),
                       str("0 <= start <= limit <= ", x.shape[axis]));
    }
    const int64_t stride = attributes.strides[i];
    result.shape.set(axis, limit == start ? 0 : (limit - start - 1) / stride + 1);
  }
  return {result};
}

std::vector<Type> infer_transpose(const InferInput& input) {
  const Type& x = input.operands[0];
  const Axes& permutation = attributes_of<AxesAttributes>(input).axes;
  check_size(input, "transpose_c2", "permutation", permutation.size(), x.shape.rank());
  check_range(input, "transpose_c2", "permutation", permutation, x.shape.rank());
  check_unique(input, "transpose_c2", "permutation", permutation);
  Type result = x;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    result.shape.set(axis, x.shape[static_cast<int>(permutation[static_cast<size_t>(axis)])]);
  }
  return {result};
}

}  // namespace ir
}  // namespace systolic::inline v0
