// Shape rules of gather, scatter and sort.
#include "systolic/base/text.h"
#include "systolic/core/axes.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

void check_index_type(const InferInput& input, std::string_view label, const Type& indices) {
  if (is_integer(indices.dtype)) return;
  raise_constraint(input, label, str("the indices are ", to_string(indices)), "integers");
}

// Entries of one index vector.
int64_t index_vector_size(const Shape& indices, int64_t index_vector_dim) {
  return index_vector_dim < indices.rank() ? indices[static_cast<int>(index_vector_dim)] : 1;
}

// Axes of the indices without the index vector's.
Axes batch_sizes(const Shape& indices, int64_t index_vector_dim) {
  Axes sizes;
  for (int axis = 0; axis < indices.rank(); ++axis) {
    if (axis != index_vector_dim) sizes.push_back(indices[axis]);
  }
  return sizes;
}

// `window` at the axes `window_dims` of the result, `batch` at the others.
Axes combine(const Axes& batch, const Axes& window, const Axes& window_dims) {
  Axes result;
  size_t next_batch = 0, next_window = 0;
  for (size_t axis = 0; axis < batch.size() + window.size(); ++axis) {
    const bool in_window = has_axis(window_dims, static_cast<int64_t>(axis));
    result.push_back(in_window ? window[next_window++] : batch[next_batch++]);
  }
  return result;
}

void check_batching_sizes(const InferInput& input, std::string_view label, const Type& x,
                          const Axes& x_dims, const Type& indices, const Axes& indices_dims) {
  for (size_t i = 0; i < x_dims.size(); ++i) {
    const int64_t a = x.shape[static_cast<int>(x_dims[i])];
    const int64_t b = indices.shape[static_cast<int>(indices_dims[i])];
    if (a == b) continue;
    raise_constraint(
        input, label,
        str("batching axis ", x_dims[i], " of ", to_string(x), " has size ", a, ", axis ",
            indices_dims[i], " of the indices ", to_string(indices), " has size ", b),
        "equal sizes");
  }
}

void check_gather_indices(const InferInput& input, const GatherAttributes& a) {
  const Type &x = input.operands[0], &indices = input.operands[1];
  const int index_rank = indices.shape.rank();
  check_index_type(input, "gather_i2", indices);
  if (a.index_vector_dim < 0 || a.index_vector_dim > index_rank) {
    raise_constraint(input, "gather_c2", str("index_vector_dim is ", a.index_vector_dim),
                     str("0 to ", index_rank));
  }
  check_size(input, "gather_c3", "start_index_map", a.start_index_map.size(),
             index_vector_size(indices.shape, a.index_vector_dim));
  check_unique(input, "gather_c13", "start_indices_batching_dims", a.start_indices_batching_dims);
  check_range(input, "gather_c14", "start_indices_batching_dims", a.start_indices_batching_dims,
              index_rank);
  if (has_axis(a.start_indices_batching_dims, a.index_vector_dim)) {
    raise_constraint(input, "gather_c15",
                     str("start_indices_batching_dims holds index_vector_dim ", a.index_vector_dim),
                     "other axes");
  }
  check_size(input, "gather_c16", "start_indices_batching_dims",
             a.start_indices_batching_dims.size(),
             static_cast<int64_t>(a.operand_batching_dims.size()));
  check_batching_sizes(input, "gather_c17", x, a.operand_batching_dims, indices,
                       a.start_indices_batching_dims);
  check_unique(input, "gather_c18", "start_index_map + operand_batching_dims",
               joined_axes(a.start_index_map, a.operand_batching_dims));
  check_range(input, "gather_c19", "start_index_map", a.start_index_map, x.shape.rank());
}

void check_gather_slices(const InferInput& input, const GatherAttributes& a) {
  const Type& x = input.operands[0];
  const int rank = x.shape.rank();
  const Axes dropped = joined_axes(a.collapsed_slice_dims, a.operand_batching_dims);
  if (static_cast<size_t>(rank) != a.offset_dims.size() + dropped.size()) {
    raise_constraint(input, "gather_c1",
                     str("operand ", to_string(x), " with ", a.offset_dims.size(), " offset_dims, ",
                         a.collapsed_slice_dims.size(), " collapsed_slice_dims and ",
                         a.operand_batching_dims.size(), " operand_batching_dims"),
                     str("a sum of ", rank));
  }
  check_unique(input, "gather_c6", "collapsed_slice_dims + operand_batching_dims", dropped);
  check_sorted(input, "gather_c7", "collapsed_slice_dims", a.collapsed_slice_dims);
  check_range(input, "gather_c8", "collapsed_slice_dims", a.collapsed_slice_dims, rank);
  check_sorted(input, "gather_c10", "operand_batching_dims", a.operand_batching_dims);
  check_range(input, "gather_c11", "operand_batching_dims", a.operand_batching_dims, rank);
  check_size(input, "gather_c20", "slice_sizes", a.slice_sizes.size(), rank);
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t size = a.slice_sizes[static_cast<size_t>(axis)];
    if (size < 0 || size > x.shape[axis]) {
      raise_constraint(input, "gather_c21",
                       str("slice_sizes [", join(a.slice_sizes), "] for operand ", to_string(x)),
                       "sizes within the operand");
    }
    if (size > 1 && has_axis(dropped, axis)) {
      raise_constraint(input, has_axis(a.collapsed_slice_dims, axis) ? "gather_c9" : "gather_c12",
                       str("slice_sizes[", axis, "] is ", size, " at an axis that is dropped"),
                       "at most 1");
    }
  }
}

}  // namespace

std::vector<Type> infer_gather(const InferInput& input) {
  const GatherAttributes& a = attributes_of<GatherAttributes>(input);
  const Type &x = input.operands[0], &indices = input.operands[1];
  check_gather_slices(input, a);
  check_gather_indices(input, a);
  const Axes dropped = joined_axes(a.collapsed_slice_dims, a.operand_batching_dims);
  Axes offset_sizes;
  for (size_t axis = 0; axis < a.slice_sizes.size(); ++axis) {
    if (!has_axis(dropped, static_cast<int64_t>(axis))) offset_sizes.push_back(a.slice_sizes[axis]);
  }
  const Axes batch = batch_sizes(indices.shape, a.index_vector_dim);
  check_unique(input, "gather_c4", "offset_dims", a.offset_dims);
  check_sorted(input, "gather_c4", "offset_dims", a.offset_dims);
  check_range(input, "gather_c5", "offset_dims", a.offset_dims,
              static_cast<int64_t>(batch.size() + offset_sizes.size()));
  return {{x.dtype, Shape(combine(batch, offset_sizes, a.offset_dims))}};
}

namespace {

void check_scatter_indices(const InferInput& input, const ScatterAttributes& a, const Type& x,
                           const Type& indices) {
  const int index_rank = indices.shape.rank();
  check_index_type(input, "scatter_i2", indices);
  if (a.index_vector_dim < 0 || a.index_vector_dim > index_rank) {
    raise_constraint(input, "scatter_c22", str("index_vector_dim is ", a.index_vector_dim),
                     str("0 to ", index_rank));
  }
  check_unique(input, "scatter_c14", "scatter_indices_batching_dims",
               a.scatter_indices_batching_dims);
  check_range(input, "scatter_c15", "scatter_indices_batching_dims",
              a.scatter_indices_batching_dims, index_rank);
  if (has_axis(a.scatter_indices_batching_dims, a.index_vector_dim)) {
    raise_constraint(
        input, "scatter_c16",
        str("scatter_indices_batching_dims holds index_vector_dim ", a.index_vector_dim),
        "other axes");
  }
  check_size(input, "scatter_c17", "scatter_indices_batching_dims",
             a.scatter_indices_batching_dims.size(),
             static_cast<int64_t>(a.input_batching_dims.size()));
  check_batching_sizes(input, "scatter_c18", x, a.input_batching_dims, indices,
                       a.scatter_indices_batching_dims);
  check_size(input, "scatter_c19", "scatter_dims_to_operand_dims",
             a.scatter_dims_to_operand_dims.size(),
             index_vector_size(indices.shape, a.index_vector_dim));
  check_unique(input, "scatter_c20", "scatter_dims_to_operand_dims + input_batching_dims",
               joined_axes(a.scatter_dims_to_operand_dims, a.input_batching_dims));
  check_range(input, "scatter_c21", "scatter_dims_to_operand_dims", a.scatter_dims_to_operand_dims,
              x.shape.rank());
}

void check_scatter_windows(const InferInput& input, const ScatterAttributes& a, const Type& x,
                           const Type& update) {
  const int rank = x.shape.rank();
  const Axes dropped = joined_axes(a.inserted_window_dims, a.input_batching_dims);
  if (static_cast<size_t>(rank) != a.update_window_dims.size() + dropped.size()) {
    raise_constraint(
        input, "scatter_c2",
        str("input ", to_string(x), " with ", a.update_window_dims.size(), " update_window_dims, ",
            a.inserted_window_dims.size(), " inserted_window_dims and ",
            a.input_batching_dims.size(), " input_batching_dims"),
        str("a sum of ", rank));
  }
  check_unique(input, "scatter_c7", "update_window_dims", a.update_window_dims);
  check_sorted(input, "scatter_c7", "update_window_dims", a.update_window_dims);
  check_range(input, "scatter_c8", "update_window_dims", a.update_window_dims, update.shape.rank());
  check_unique(input, "scatter_c9", "inserted_window_dims + input_batching_dims", dropped);
  check_sorted(input, "scatter_c10", "inserted_window_dims", a.inserted_window_dims);
  check_range(input, "scatter_c11", "inserted_window_dims", a.inserted_window_dims, rank);
  check_sorted(input, "scatter_c12", "input_batching_dims", a.input_batching_dims);
  check_range(input, "scatter_c13", "input_batching_dims", a.input_batching_dims, rank);
}

void check_update_shape(const InferInput& input, const ScatterAttributes& a, const Type& x,
                        const Type& indices, const Type& update) {
  const Axes batch = batch_sizes(indices.shape, a.index_vector_dim);
  const size_t rank = batch.size() + a.update_window_dims.size();
  bool fits = static_cast<size_t>(update.shape.rank()) == rank;
  const Axes dropped = joined_axes(a.inserted_window_dims, a.input_batching_dims);
  size_t next_batch = 0;
  int next_axis = 0;
  for (int axis = 0; fits && axis < update.shape.rank(); ++axis) {
    if (!has_axis(a.update_window_dims, axis)) {
      fits = update.shape[axis] == batch[next_batch++];
      continue;
    }
    while (has_axis(dropped, next_axis)) ++next_axis;
    fits = update.shape[axis] <= x.shape[next_axis++];
  }
  if (fits) return;
  raise_constraint(input, "scatter_c4",
                   str("updates ", to_string(update), " for input ", to_string(x), " and indices ",
                       to_string(indices)),
                   str("axes of sizes [", join(batch), "] beside update_window_dims [",
                       join(a.update_window_dims), "], and windows within the input"));
}

}  // namespace

std::vector<Type> infer_scatter(const InferInput& input) {
  const size_t count = input.operands.size() / 2;
  if (input.operands.size() != 2 * count + 1 || count == 0) {
    raise_constraint(input, "scatter_c5", str("there are ", input.operands.size(), " operands"),
                     "inputs, indices, and as many updates as inputs");
  }
  const ScatterAttributes& a = attributes_of<ScatterAttributes>(input);
  const std::span<const Type> inputs = input.operands.first(count);
  const Type& indices = input.operands[count];
  const std::span<const Type> updates = input.operands.subspan(count + 1);
  for (size_t i = 0; i < count; ++i) {
    if (!(inputs[i].shape == inputs[0].shape)) {
      raise_constraint(input, "scatter_c1",
                       str("inputs ", to_string(inputs[0]), " and ", to_string(inputs[i])),
                       "one shape");
    }
    if (!(updates[i].shape == updates[0].shape)) {
      raise_constraint(input, "scatter_c3",
                       str("updates ", to_string(updates[0]), " and ", to_string(updates[i])),
                       "one shape");
    }
    check_same_dtype(input, "scatter_c6", updates[i], inputs[i]);
  }
  check_scatter_windows(input, a, inputs[0], updates[0]);
  check_scatter_indices(input, a, inputs[0], indices);
  check_update_shape(input, a, inputs[0], indices, updates[0]);
  const std::vector<DType> dtypes = fold_types(input, "scatter_c23", 0, inputs);
  std::vector<Type> results;
  for (size_t i = 0; i < count; ++i) results.push_back({dtypes[i], inputs[i].shape});
  return results;
}

std::vector<Type> infer_sort(const InferInput& input) {
  if (input.operands.empty()) {
    raise_constraint(input, "sort_c1", "there are no inputs", "at least one");
  }
  const int64_t rank = input.operands[0].shape.rank();
  const int64_t dimension = attributes_of<SortAttributes>(input).dimension;
  std::vector<Type> scalars;
  for (const Type& x : input.operands) {
    if (!(x.shape == input.operands[0].shape)) {
      raise_constraint(input, "sort_c3",
                       str("inputs ", to_string(input.operands[0]), " and ", to_string(x)),
                       "one shape");
    }
    scalars.insert(scalars.end(), 2, Type{x.dtype, {}});
  }
  if (dimension < -rank || dimension >= rank) {
    raise_constraint(input, "sort_c4", str("dimension is ", dimension),
                     str("in [", -rank, ", ", rank, ")"));
  }
  check_region_arguments(input, "sort_c5", 0, scalars);
  const std::vector<Type> results = region_results(input, 0);
  if (results.size() != 1 || !(results[0] == Type{DType::pred, {}})) {
    raise_constraint(input, "sort_c5", str("the comparator returns (", join(results), ")"),
                     "(pred[])");
  }
  return {input.operands.begin(), input.operands.end()};
}

}  // namespace ir
}  // namespace systolic::inline v0
