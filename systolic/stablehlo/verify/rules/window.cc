// reduce_window and select_and_scatter.
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// A number for each axis, `least` or more.
Axes per_axis(const OpVerifier& op, std::string_view name, int size_label, int least_label,
              int64_t rank, bool required = false) {
  const Axes ones(static_cast<size_t>(rank), 1);
  Axes values = required ? op.axes(name) : op.axes(name, ones);
  op.size_is(size_label, name, values.size(), rank);
  op.at_least(least_label, name, values, 1);
  return values;
}

Axes padding_of(const OpVerifier& op, int label, int64_t rank) {
  const Attribute* padding = op.find("padding");
  if (padding == nullptr) return Axes(static_cast<size_t>(2 * rank), 0);
  const Axes shape = op.shape_of(*padding);
  const bool fits = shape == Axes{rank, 2} || (rank == 0 && shape == Axes{0});
  op.require(fits, label, [&] {
    return Violation{"shape(padding)", str("[", join(shape), "]"), str("[", rank, ", 2]")};
  });
  return op.flat(*padding);
}

void windows_are(const OpVerifier& op, int label, const NamedValue& got, const NamedValue& input,
                 const std::vector<WindowAxis>& axes) {
  op.same_rank(label, got, input);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    const std::optional<int64_t> wanted = num_windows(input.dim(axis), axes[i]);
    if (!wanted) continue;
    op.is(label, str("dim(", got.text(), ", ", axis, ")"), got.dim(axis), *wanted);
  }
}

}  // namespace

void verify_reduce_window(const OpVerifier& op) {
  const size_t count = op.op().operands.size() / 2;
  const bool paired = count > 0 && op.op().operands.size() % 2 == 0;
  op.require(paired && op.op().results.size() == count, 1, [&] {
    return Violation{"inputs and init_values, results",
                     str(op.op().operands.size(), ", ", op.op().results.size()),
                     "as many init_values and results as inputs, 1 or more"};
  });
  const NamedValues inputs = op.operands("inputs", 0, count),
                    init_values = op.operands("init_values", count), results = op.results();
  for (size_t i = 0; i < count; ++i) {
    op.same_shape(2, inputs[i], inputs[0]);
    op.same_baseline_element(3, init_values[i], inputs[i]);
    op.scalar_input(2, init_values[i]);
  }
  const int64_t rank = inputs[0].rank();
  const Axes sizes = per_axis(op, "window_dimensions", 4, 5, rank, true),
             strides = per_axis(op, "window_strides", 6, 7, rank),
             base = per_axis(op, "base_dilations", 8, 9, rank),
             dilations = per_axis(op, "window_dilations", 10, 11, rank),
             padding = padding_of(op, 12, rank);
  const NamedValues folded = op.reducer(13, 0, "body", inputs);
  std::vector<WindowAxis> axes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    axes.push_back(
        {sizes[i], strides[i], padding[2 * i], padding[2 * i + 1], base[i], dilations[i]});
  }
  for (size_t i = 0; i < count; ++i) {
    op.same_shape(14, results[i], results[0]);
    op.same_baseline_element(16, results[i], folded[i]);
  }
  windows_are(op, 15, results[0], inputs[0], axes);
}

void verify_select_and_scatter(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), source = op.operand(1, "source");
  op.same_element(1, source, operand);
  op.same_element(3, op.operand(2, "init_value"), operand);
  const int64_t rank = operand.rank();
  const Axes sizes = per_axis(op, "window_dimensions", 4, 5, rank, true),
             strides = per_axis(op, "window_strides", 6, 7, rank),
             padding = padding_of(op, 8, rank);
  std::vector<WindowAxis> axes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    axes.push_back({sizes[i], strides[i], padding[2 * i], padding[2 * i + 1], 1, 1});
  }
  windows_are(op, 2, source, operand, axes);
  const NamedValues arguments = op.arguments(0, "argument"), chosen = op.returned(0, "result");
  op.require(arguments.size() == 2 && chosen.size() == 1, 9, [&] {
    return Violation{"type(select)",
                     str(arguments.size(), " arguments, ", chosen.size(), " results"),
                     "2 arguments, 1 result"};
  });
  for (const NamedValue& argument : arguments) {
    op.same_baseline_element(9, argument, operand);
    op.require(argument.type->kind == Type::Kind::tensor && argument.rank() == 0, 9, [&] {
      return Violation{str("select: type(", argument.text(), ")"), op.type_of(argument),
                       "a scalar"};
    });
  }
  op.require(is_boolean(*chosen[0].type) && chosen[0].rank() == 0, 9, [&] {
    return Violation{"select: type(result)", op.type_of(chosen[0]), "tensor<i1>"};
  });
  const NamedValues folded = op.reducer(10, 1, "scatter", {operand});
  op.same_shape(11, op.result(), operand);
  op.same_baseline_element(12, op.result(), folded[0]);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
