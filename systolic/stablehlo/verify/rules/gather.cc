// gather and dynamic_gather: the same checks with other numbers.
#include <algorithm>

#include "systolic/stablehlo/verify/rules/families.h"
#include "systolic/stablehlo/verify/rules/gather_axes.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// The numbers of the labels, in the order in which the specification lists gather's; 0: none.
struct Labels {
  int rank, vector_dim, map_size, offset_order, offset_range, collapsed_unique, collapsed_sorted,
      collapsed_range, collapsed_size, batching_sorted, batching_range, batching_size, map_unique,
      map_range, sizes_count, sizes_range, shape, element;
};
constexpr Labels gather_labels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 18, 19, 20, 21, 22, 23};
constexpr Labels dynamic_labels{1, 2, 3, 4, 5, 6, 6, 7, 8, 0, 0, 0, 9, 10, 11, 12, 13, 14};

struct Gather {
  NamedValue operand, indices, result;
  Axes offset, collapsed, batching, indices_batching, map;
  int64_t vector_dim;
  Axes sizes;  // dynamic_size where they are not known
};

void verify_axes(const OpVerifier& op, const Labels& l, const Gather& g) {
  const auto listed = g.offset.size() + g.collapsed.size() + g.batching.size();
  op.is(l.rank, "size(offset_dims) + size(collapsed_slice_dims) + size(operand_batching_dims)",
        static_cast<int64_t>(listed), g.operand.rank());
  op.in_range(l.vector_dim, "index_vector_dim", {g.vector_dim}, g.indices.rank() + 1);
  op.is(l.map_size, "size(start_index_map)", static_cast<int64_t>(g.map.size()),
        index_vector_size(g.indices, g.vector_dim));
  op.unique(l.offset_order, "offset_dims", g.offset);
  op.sorted(l.offset_order, "offset_dims", g.offset);
  op.in_range(l.offset_range, "offset_dims", g.offset, g.result.rank());
  op.unique(l.collapsed_unique, "collapsed_slice_dims + operand_batching_dims",
            joined(g.collapsed, g.batching));
  op.sorted(l.collapsed_sorted, "collapsed_slice_dims", g.collapsed);
  op.in_range(l.collapsed_range, "collapsed_slice_dims", g.collapsed, g.operand.rank());
  if (l.batching_sorted != 0) {
    op.sorted(l.batching_sorted, "operand_batching_dims", g.batching);
    op.in_range(l.batching_range, "operand_batching_dims", g.batching, g.operand.rank());
  }
  op.unique(l.map_unique, "start_index_map + operand_batching_dims", joined(g.map, g.batching));
  op.in_range(l.map_range, "start_index_map", g.map, g.operand.rank());
}

void verify_sizes(const OpVerifier& op, const Labels& l, const Gather& g) {
  op.size_is(l.sizes_count, "slice_sizes", g.sizes.size(), g.operand.rank());
  const auto at_most_one = [&](int label, const Axes& axes) {
    for (int64_t axis : axes) {
      const int64_t size = g.sizes[static_cast<size_t>(axis)];
      op.require(size <= 1, label, [&] {
        return Violation{str("slice_sizes[", axis, "]"), str(size), "0 or 1"};
      });
    }
  };
  at_most_one(l.collapsed_size, g.collapsed);
  at_most_one(l.batching_size, g.batching);
  for (int64_t axis = 0; axis < g.operand.rank(); ++axis) {
    const int64_t size = g.sizes[static_cast<size_t>(axis)], most = g.operand.dim(axis);
    const bool within =
        size == dynamic_size || (size >= 0 && (most == dynamic_size || size <= most));
    op.require(within, l.sizes_range, [&] {
      return Violation{str("slice_sizes[", axis, "]"), str(size),
                       str("0 to ", most, " = dim(operand, ", axis, ")")};
    });
  }
}

void verify_result(const OpVerifier& op, const Labels& l, const Gather& g) {
  const Axes batch = without_vector_dim(g.indices, g.vector_dim);
  Axes offset_sizes;
  const Axes dropped = joined(g.collapsed, g.batching);
  for (int64_t axis = 0; axis < g.operand.rank(); ++axis) {
    if (!contains(dropped, axis)) offset_sizes.push_back(g.sizes[static_cast<size_t>(axis)]);
  }
  const Axes shape = combine(batch, offset_sizes, g.offset);
  op.shape_is(l.shape, g.result, shape);
  op.same_element(l.element, g.result, g.operand);
}

Gather read(const OpVerifier& op) {
  const Attribute& numbers = op.required("dimension_numbers");
  return {op.operand(0, "operand"),
          op.operand(1, "start_indices"),
          op.result(),
          op.field_axes(numbers, "offset_dims"),
          op.field_axes(numbers, "collapsed_slice_dims"),
          op.field_axes(numbers, "operand_batching_dims"),
          op.field_axes(numbers, "start_indices_batching_dims"),
          op.field_axes(numbers, "start_index_map"),
          op.field_integer(numbers, "index_vector_dim"),
          {}};
}

}  // namespace

void verify_gather(const OpVerifier& op) {
  Gather g = read(op);
  g.sizes = op.axes("slice_sizes");
  verify_axes(op, gather_labels, g);
  verify_batching(op, {13, 14, 15, 16, 17}, {"start_indices", "operand_batching_dims"}, g.operand,
                  g.indices, g.batching, g.indices_batching, g.vector_dim);
  op.at_least(gather_labels.sizes_range, "slice_sizes", g.sizes, 0);
  verify_sizes(op, gather_labels, g);
  verify_result(op, gather_labels, g);
}

void verify_dynamic_gather(const OpVerifier& op) {
  Gather g = read(op);
  const NamedValue sizes = op.operand(2, "slice_sizes");
  verify_axes(op, dynamic_labels, g);
  if (sizes.rank() == 1) op.is(11, "size(slice_sizes)", sizes.dim(0), g.operand.rank());
  g.sizes.assign(g.operand.type->dims.size(), dynamic_size);
  if (const auto known = op.constant(2)) {
    g.sizes = *known;
    op.at_least(dynamic_labels.sizes_range, "slice_sizes", g.sizes, 0);
    verify_sizes(op, dynamic_labels, g);
  }
  verify_result(op, dynamic_labels, g);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
