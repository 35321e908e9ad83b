#include "systolic/stablehlo/verify/rules/families.h"
#include "systolic/stablehlo/verify/rules/gather_axes.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

struct Scatter {
  NamedValues inputs, updates;
  NamedValue indices;
  Axes window, inserted, batching, indices_batching, map;
  int64_t vector_dim;
};

void verify_axes(const OpVerifier& op, const Scatter& s) {
  const NamedValue& input = s.inputs[0];
  const auto listed = s.window.size() + s.inserted.size() + s.batching.size();
  op.is(2, "size(update_window_dims) + size(inserted_window_dims) + size(input_batching_dims)",
        static_cast<int64_t>(listed), input.rank());
  op.unique(7, "update_window_dims", s.window);
  op.sorted(7, "update_window_dims", s.window);
  op.in_range(8, "update_window_dims", s.window, s.updates[0].rank());
  op.unique(9, "inserted_window_dims + input_batching_dims", joined(s.inserted, s.batching));
  op.sorted(10, "inserted_window_dims", s.inserted);
  op.in_range(11, "inserted_window_dims", s.inserted, input.rank());
  op.sorted(12, "input_batching_dims", s.batching);
  op.in_range(13, "input_batching_dims", s.batching, input.rank());
  op.in_range(22, "index_vector_dim", {s.vector_dim}, s.indices.rank() + 1);
  verify_batching(op, {14, 15, 16, 17, 18}, {"scatter_indices", "input_batching_dims"}, input,
                  s.indices, s.batching, s.indices_batching, s.vector_dim);
  op.is(19, "size(scatter_dims_to_operand_dims)", static_cast<int64_t>(s.map.size()),
        index_vector_size(s.indices, s.vector_dim));
  op.unique(20, "scatter_dims_to_operand_dims + input_batching_dims", joined(s.map, s.batching));
  op.in_range(21, "scatter_dims_to_operand_dims", s.map, input.rank());
}

// The window axes of an update may be smaller than the input's; the others are the indices'.
void verify_updates(const OpVerifier& op, const Scatter& s) {
  const NamedValue &update = s.updates[0], &input = s.inputs[0];
  const Axes batch = without_vector_dim(s.indices, s.vector_dim),
             dropped = joined(s.inserted, s.batching);
  op.is(4, "rank(updates[0])", update.rank(), static_cast<int64_t>(batch.size() + s.window.size()));
  Axes most;
  for (int64_t axis = 0; axis < input.rank(); ++axis) {
    if (!contains(dropped, axis)) most.push_back(input.dim(axis));
  }
  const Axes bound = combine(batch, most, s.window);
  for (int64_t axis = 0; axis < update.rank(); ++axis) {
    const int64_t got = update.dim(axis), limit = bound[static_cast<size_t>(axis)];
    const bool of_window = contains(s.window, axis);
    op.require(compatible(got, limit) || (of_window && got <= limit), 4, [&] {
      return Violation{str("dim(updates[0], ", axis, ")"), str(got),
                       str(of_window ? "at most " : "", limit)};
    });
  }
}

}  // namespace

void verify_scatter(const OpVerifier& op) {
  const size_t count = op.op().operands.size() / 2;
  op.require(count > 0 && op.op().operands.size() % 2 == 1, 5, [&] {
    return Violation{"size(inputs) + 1 + size(updates)", str(op.op().operands.size()),
                     "as many updates as inputs, 1 or more"};
  });
  const Attribute& numbers = op.required("scatter_dimension_numbers");
  const Scatter s{op.operands("inputs", 0, count),
                  op.operands("updates", count + 1),
                  op.operand(count, "scatter_indices"),
                  op.field_axes(numbers, "update_window_dims"),
                  op.field_axes(numbers, "inserted_window_dims"),
                  op.field_axes(numbers, "input_batching_dims"),
                  op.field_axes(numbers, "scatter_indices_batching_dims"),
                  op.field_axes(numbers, "scatter_dims_to_operand_dims"),
                  op.field_integer(numbers, "index_vector_dim")};
  for (size_t i = 0; i < count; ++i) {
    op.same_shape(1, s.inputs[i], s.inputs[0]);
    op.same_shape(3, s.updates[i], s.updates[0]);
    op.same_element(6, s.updates[i], s.inputs[i]);
  }
  verify_axes(op, s);
  verify_updates(op, s);
  const NamedValues folded = op.reducer(23, 0, "update_computation", s.inputs);
  const NamedValues results = op.results();
  op.size_is(24, "results", results.size(), static_cast<int64_t>(count));
  for (size_t i = 0; i < count; ++i) {
    op.same_shape(24, results[i], s.inputs[i]);
    op.same_baseline_element(25, results[i], folded[i]);
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
