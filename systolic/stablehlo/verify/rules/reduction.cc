// reduce, map and sort.
#include "systolic/stablehlo/verify/rules/families.h"
#include "systolic/stablehlo/verify/rules/gather_axes.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify_reduce(const OpVerifier& op) {
  const size_t count = op.op().operands.size() / 2;
  const bool paired = count > 0 && op.op().operands.size() % 2 == 0;
  op.require(paired && op.op().results.size() == count, 3, [&] {
    return Violation{"inputs and init_values, results",
                     str(op.op().operands.size(), ", ", op.op().results.size()),
                     "as many init_values and results as inputs, 1 or more"};
  });
  const NamedValues inputs = op.operands("inputs", 0, count),
                    init_values = op.operands("init_values", count), results = op.results();
  const Axes dimensions = op.axes("dimensions");
  for (size_t i = 0; i < count; ++i) {
    op.same_shape(1, inputs[i], inputs[0]);
    op.same_baseline_element(2, init_values[i], inputs[i]);
    op.scalar_input(2, init_values[i]);
  }
  op.in_range(4, "dimensions", dimensions, inputs[0].rank());
  op.unique(5, "dimensions", dimensions);
  const NamedValues folded = op.reducer(6, 0, "body", inputs);
  Axes kept;
  for (int64_t axis = 0; axis < inputs[0].rank(); ++axis) {
    if (!contains(dimensions, axis)) kept.push_back(inputs[0].dim(axis));
  }
  for (size_t i = 0; i < count; ++i) {
    op.shape_is(7, results[i], kept);
    op.same_baseline_element(8, results[i], folded[i]);
  }
}

namespace {

// Arguments are scalars of the inputs' elements, `each` of them one after the other.
void scalar_arguments(const OpVerifier& op, int constraint, std::string_view name,
                      const NamedValues& inputs, size_t each) {
  const NamedValues arguments = op.arguments(0, "argument");
  op.is(constraint, str("arguments of ", name), static_cast<int64_t>(arguments.size()),
        static_cast<int64_t>(each * inputs.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const NamedValue& input = inputs[i / each];
    const bool fits = arguments[i].type->kind == Type::Kind::tensor && arguments[i].rank() == 0 &&
                      same_baseline_element(*arguments[i].type, *input.type);
    op.require(fits, constraint, [&] {
      return Violation{str(name, ": type(", arguments[i].text(), ")"), op.type_of(arguments[i]),
                       str("a scalar with the element type of ", op.type_of(input))};
    });
  }
}

void one_scalar_result(const OpVerifier& op, int constraint, std::string_view name,
                       const std::string& wanted, bool (*fits)(const Type&, const Type*),
                       const Type* of) {
  const NamedValues returned = op.returned(0, "result");
  op.is(constraint, str("results of ", name), static_cast<int64_t>(returned.size()), 1);
  const bool scalar = returned[0].type->kind == Type::Kind::tensor && returned[0].rank() == 0;
  op.require(scalar && fits(*returned[0].type, of), constraint, [&] {
    return Violation{str(name, ": type(result)"), op.type_of(returned[0]), wanted};
  });
}

}  // namespace

void verify_map(const OpVerifier& op) {
  const NamedValues inputs = op.operands("inputs");
  op.require(!inputs.empty(), 2, [] { return Violation{"size(inputs)", "0", "1 or more"}; });
  const NamedValue result = op.result();
  for (const NamedValue& input : inputs) op.same_shape(1, input, result);
  const Axes dimensions = op.axes("dimensions");
  Axes range;
  for (int64_t axis = 0; axis < inputs[0].rank(); ++axis) range.push_back(axis);
  op.require(dimensions == range, 3, [&] {
    return Violation{"dimensions", str("[", join(dimensions), "]"), str("[", join(range), "]")};
  });
  scalar_arguments(op, 4, "computation", inputs, 1);
  one_scalar_result(
      op, 4, "computation", str("a scalar with the element type of ", op.type_of(result)),
      [](const Type& got, const Type* of) { return same_baseline_element(got, *of); }, result.type);
}

void verify_sort(const OpVerifier& op) {
  const NamedValues inputs = op.operands("inputs"), results = op.results();
  op.require(!inputs.empty(), 1, [] { return Violation{"size(inputs)", "0", "1 or more"}; });
  op.size_is(2, "results", results.size(), static_cast<int64_t>(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    op.same_shape(3, inputs[i], inputs[0]);
    op.same_type(2, results[i], inputs[i]);
  }
  const int64_t axis = op.integer("dimension", -1), rank = inputs[0].rank();
  op.require(axis >= -rank && axis < rank, 4, [&] {
    return Violation{"dimension", str(axis), str("a number in [", -rank, ", ", rank, ")")};
  });
  scalar_arguments(op, 5, "comparator", inputs, 2);
  one_scalar_result(
      op, 5, "comparator", "tensor<i1>",
      [](const Type& got, const Type*) { return is_boolean(got); }, nullptr);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
